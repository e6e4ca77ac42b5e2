import { SegmentedControl, Select, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import type { ApiKeyMode } from '../../../generated/graphql.js';
import { endOfLifetime } from '../../../lib/lifetime.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { apiKeyCreateCall, useApiKeyCreate } from '../api/api-keys.js';

interface ApiKeyCreateProps {
  tenantKey: string;
  onClose: () => void;
  /** With the key itself; it is up to the caller to show it, this once. */
  onIssued: (issued: { name: string; key: string }) => void;
}

const LIFETIMES = [
  { value: '', label: 'No expiry' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
];

/** Issues a key. */
export function ApiKeyCreate({ tenantKey, onClose, onIssued }: ApiKeyCreateProps) {
  const [values, setValues] = useState({
    name: '',
    mode: 'LIVE' as ApiKeyMode,
    scopes: [] as string[],
    days: '',
  });
  const create = useApiKeyCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'mode', 'scopes', 'expiresAt']);
  const set = (part: Partial<typeof values>) => setValues({ ...values, ...part });
  const { name, mode, scopes, days } = values;
  const expiresAt = endOfLifetime(days);
  const input = { tenantKey, name, mode, scopes, expiresAt };
  const submit = () => create.mutate(input, { onSuccess: (key) => onIssued({ name, key }) });
  return (
    <CreateModal
      opened
      title="Create key"
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Create key"
      pending={create.isPending}
      problem={form}
      copy={{ call: apiKeyCreateCall(input) }}
    >
      <TextInput
        label="Name"
        description="Where the key is used, such as “production”."
        required
        data-autofocus
        value={values.name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
        error={byField.name}
      />
      <SegmentedControl
        aria-label="Mode"
        data={[
          { value: 'LIVE', label: 'Live' },
          { value: 'TEST', label: 'Test' },
        ]}
        value={values.mode}
        onChange={(value) => set({ mode: value as ApiKeyMode })}
      />
      <TagsInput
        label="Scopes"
        description="Leave empty for all. Otherwise list APIs or operations, such as url-shortener or url-shortener/createURL."
        value={values.scopes}
        onChange={(scopes) => set({ scopes })}
        error={byField.scopes}
      />
      <Select
        label="Valid for"
        data={LIFETIMES}
        value={values.days}
        onChange={(days) => set({ days: days ?? '' })}
        allowDeselect={false}
        error={byField.expiresAt}
      />
    </CreateModal>
  );
}
