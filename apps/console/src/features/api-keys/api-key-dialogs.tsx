import { SegmentedControl, Select, TagsInput, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import type { ApiKeyMode } from '../../generated/graphql.js';
import { endOfLifetime } from '../../lib/form.js';
import { errorsByField } from '../../lib/graphql-request.js';
import {
  type ApiKeyRow,
  apiKeyCreateCall,
  apiKeyRevokeCall,
  apiKeyRotateCall,
  useApiKeyCreate,
  useApiKeyRevoke,
  useApiKeyRotate,
} from './api.js';

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

interface KeyDialogProps {
  tenantKey: string;
  row: ApiKeyRow;
  onClose: () => void;
}

const OVERLAPS = [
  { value: '0', label: 'Expire immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
];

interface ApiKeyRotateProps extends KeyDialogProps {
  onIssued: (key: string) => void;
}

/** Gives a key a new secret. */
export function ApiKeyRotate({ tenantKey, row, onClose, onIssued }: ApiKeyRotateProps) {
  const [hours, setHours] = useState<string>('24');
  const rotate = useApiKeyRotate();
  const { byField, form } = errorsByField(rotate.error, ['overlapHours']);
  const input = { tenantKey, id: row.id, overlapHours: Number(hours) };
  return (
    <CreateModal
      opened
      title={`Rotate “${row.name}”?`}
      onClose={onClose}
      onSubmit={() => rotate.mutate(input, { onSuccess: onIssued })}
      submitLabel="Rotate"
      pending={rotate.isPending}
      problem={form}
      copy={{ call: apiKeyRotateCall(input) }}
    >
      <Text size="sm">You get a new key. The old key stays valid for the period you choose.</Text>
      <Select
        label="Keep old key valid for"
        data={OVERLAPS}
        value={hours}
        onChange={(value) => value && setHours(value)}
        allowDeselect={false}
        error={byField.overlapHours}
      />
    </CreateModal>
  );
}

/** Ends a key for good. */
export function ApiKeyRevoke({ tenantKey, row, onClose }: KeyDialogProps) {
  const revoke = useApiKeyRevoke();
  const { form } = errorsByField(revoke.error, []);
  const { name } = row;
  const input = { tenantKey, id: row.id };
  const submit = () =>
    revoke.mutate(input, {
      onSuccess: () => {
        notifications.show({ message: `“${name}” revoked`, color: 'gate' });
        onClose();
      },
    });
  return (
    <CreateModal
      opened
      title={`Revoke “${name}”?`}
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Revoke"
      pending={revoke.isPending}
      problem={form}
      copy={{ call: apiKeyRevokeCall(input) }}
    >
      <Text size="sm">Requests with this key are denied within seconds. This cannot be undone.</Text>
    </CreateModal>
  );
}
