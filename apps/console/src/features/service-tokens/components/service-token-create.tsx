import { Checkbox, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { endOfLifetime } from '../../../lib/form.js';
import { errorsByField } from '../../../lib/graphql-request.js';
import { formatNumber } from '../../../lib/number-format.js';
import { useMayGrant, viewerQuery } from '../../../lib/viewer.js';
import { serviceTokenCreateCall, useServiceTokenCreate } from '../api/service-token-create.js';
import { TOKEN_SCOPES } from '../token-scopes.js';

const DAYS = ['30', '90', '365'] as const;

interface ServiceTokenCreateProps {
  onClose: () => void;
  onIssued: (token: string) => void;
}

/** Issues a token. */
export function ServiceTokenCreate({ onClose, onIssued }: ServiceTokenCreateProps) {
  const { data: viewer } = useQuery(viewerQuery);
  const mayGrant = useMayGrant('scopes');
  const [values, setValues] = useState({
    name: '',
    sets: [TOKEN_SCOPES[0].value] as string[],
    permissions: [] as string[],
    tenantKeys: [] as string[],
    days: '',
  });
  const create = useServiceTokenCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'scopes', 'tenantKeys', 'expiresAt']);
  const { name, sets, permissions, tenantKeys, days } = values;
  const expiresAt = endOfLifetime(days);
  const input = { name, scopes: [...sets, ...permissions], tenantKeys, expiresAt };
  const lifetimes = DAYS.map((value) => ({
    value,
    label: value === '365' ? '1 year' : `${formatNumber(Number(value))} days`,
  }));
  return (
    <CreateModal
      title="Create service token"
      opened
      onClose={onClose}
      onSubmit={() => create.mutate(input, { onSuccess: onIssued })}
      submitLabel="Create token"
      pending={create.isPending}
      problem={form}
      copy={{ call: serviceTokenCreateCall(input) }}
    >
      <TextInput
        label="Name"
        description="The service that uses it, such as “checkout, production”."
        required
        data-autofocus
        value={values.name}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, name: value })}
        error={byField.name}
      />
      <Checkbox.Group
        label="Permissions"
        value={values.sets}
        onChange={(sets) => setValues({ ...values, sets })}
        error={byField.scopes}
      >
        <Stack gap={8} mt={4}>
          {TOKEN_SCOPES.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} disabled={!mayGrant(value)} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label="Scopes"
        description="Permission sets, or single permissions such as tiers:write. You can only grant permissions you have."
        data={viewer?.permissions ?? []}
        value={values.permissions}
        onChange={(permissions) => setValues({ ...values, permissions })}
      />
      <TagsInput
        label="Tenants"
        description="Tenant keys. Leave empty for all."
        value={values.tenantKeys}
        onChange={(tenantKeys) => setValues({ ...values, tenantKeys })}
        error={byField.tenantKeys}
      />
      <Select
        label="Valid for"
        data={[{ value: '', label: 'No expiry' }, ...lifetimes]}
        value={values.days}
        onChange={(days) => setValues({ ...values, days: days ?? '' })}
        allowDeselect={false}
        error={byField.expiresAt}
      />
    </CreateModal>
  );
}
