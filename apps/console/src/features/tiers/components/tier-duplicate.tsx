import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { NameAndKey } from '../../../components/name-and-key.js';
import { keyFromName } from '../../../lib/key-from-name.js';
import { errorsByField, throwUserErrors } from '../../../lib/user-errors.js';
import type { TierDetail } from '../api/tier.js';
import { tierDuplicateCall, useTierChanges } from '../api/tier-change.js';

/** A new tier with the limits of this one, as a draft. */
export function TierDuplicate({ tier, onClose }: { tier: TierDetail; onClose: () => void }) {
  const t = useTranslations('tiers');
  const navigate = useNavigate();
  const changes = useTierChanges();
  const copyName = t('copyName', { tier: tier.name });
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
      title={t('duplicateTitle', { tier: tier.name })}
      opened
      onClose={onClose}
      onSubmit={() => duplicate.mutate()}
      submitLabel={t('duplicate')}
      pending={duplicate.isPending}
      problem={form}
      copy={{ call: tierDuplicateCall(input) }}
    >
      <Text size="sm" c="dimmed">
        {t('duplicateHint')}
      </Text>
      <NameAndKey
        value={values}
        onChange={setValues}
        errors={newKey ? { ...errors, key: newKey } : errors}
        keyHint={t('keyHint')}
      />
    </CreateModal>
  );
}
