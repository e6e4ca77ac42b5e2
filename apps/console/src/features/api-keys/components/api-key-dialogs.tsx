import { Select, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
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

const OVERLAPS = ['0', '1', '24', '168'] as const;

interface ApiKeyRotateProps extends KeyDialogProps {
  onIssued: (key: string) => void;
}

/** Gives a key a new secret. */
export function ApiKeyRotate({ tenantKey, row, onClose, onIssued }: ApiKeyRotateProps) {
  const t = useTranslations('apiKeys');
  const [hours, setHours] = useState<string>('24');
  const rotate = useApiKeyRotate();
  const { byField, form } = errorsByField(rotate.error, ['overlapHours']);
  const input = { tenantKey, id: row.id, overlapHours: Number(hours) };
  return (
    <CreateModal
      opened
      title={t('rotateTitle', { name: row.name })}
      onClose={onClose}
      onSubmit={() => rotate.mutate(input, { onSuccess: onIssued })}
      submitLabel={t('rotate')}
      pending={rotate.isPending}
      problem={form}
      copy={{ call: apiKeyRotateCall(input) }}
    >
      <Text size="sm">{t('rotateHint')}</Text>
      <Select
        label={t('overlap')}
        data={OVERLAPS.map((value) => ({ value, label: t(`overlap${value}`) }))}
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
  const t = useTranslations('apiKeys');
  const revoke = useApiKeyRevoke();
  const { form } = errorsByField(revoke.error, []);
  const { name } = row;
  const input = { tenantKey, id: row.id };
  const submit = () =>
    revoke.mutate(input, {
      onSuccess: () => {
        notifications.show({ message: t('revokedNow', { name }), color: 'gate' });
        onClose();
      },
    });
  return (
    <CreateModal
      opened
      title={t('revokeTitle', { name })}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t('revoke')}
      pending={revoke.isPending}
      problem={form}
      copy={{ call: apiKeyRevokeCall(input) }}
    >
      <Text size="sm">{t('revokeHint')}</Text>
    </CreateModal>
  );
}
