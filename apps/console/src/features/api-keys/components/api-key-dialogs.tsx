import { Select, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { errorsByField } from '../../../lib/user-errors.js';
import {
  type ApiKeyRow,
  apiKeyRevokeCall,
  apiKeyRotateCall,
  useApiKeyRevoke,
  useApiKeyRotate,
} from '../api/api-keys.js';

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
