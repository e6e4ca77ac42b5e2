import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { NameAndKey } from '../../../components/fields.js';
import { keyFromName } from '../../../lib/form.js';
import { errorsByField, throwUserErrors } from '../../../lib/graphql-request.js';
import type { TierDetail } from '../api/tier.js';
import { tierDuplicateCall, useTierChanges } from '../api/tier-change.js';

/** A new tier with the limits of this one, as a draft. */
export function TierDuplicate({ tier, onClose }: { tier: TierDetail; onClose: () => void }) {
  const navigate = useNavigate();
  const changes = useTierChanges();
  const copyName = `${tier.name} copy`;
  const [values, setValues] = useState({ name: copyName, key: keyFromName(copyName) });
  const input = { tierKey: tier.key, newKey: values.key, name: values.name };
  const duplicate = useMutation({
    mutationFn: async () => throwUserErrors(await changes.duplicate(input)),
    onSuccess: () => navigate({ to: '/tiers/$tierKey', params: { tierKey: values.key } }),
  });
  const { byField, form } = errorsByField(duplicate.error, ['newKey', 'name']);
  const { newKey, ...errors } = byField;
  return (
    <CreateModal
      title={`Duplicate ${tier.name}`}
      opened
      onClose={onClose}
      onSubmit={() => duplicate.mutate()}
      submitLabel="Duplicate"
      pending={duplicate.isPending}
      problem={form}
      copy={{ call: tierDuplicateCall(input) }}
    >
      <Text size="sm" c="dimmed">
        Creates a draft with the same limits and no tenants.
      </Text>
      <NameAndKey
        value={values}
        onChange={setValues}
        errors={newKey ? { ...errors, key: newKey } : errors}
        keyHint="Used in GraphQL and in files. It cannot be changed later."
      />
    </CreateModal>
  );
}
