import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { serviceTokenRotateCall, useServiceTokenRotate } from '../api/service-token-rotate.js';
import type { ServiceTokenInList } from '../api/service-tokens.js';

const OVERLAPS = [
  { minutes: '0', label: 'overlapNone' },
  { minutes: '60', label: 'overlapHour' },
  { minutes: '1440', label: 'overlapDay' },
  { minutes: '10080', label: 'overlapWeek' },
] as const;

interface ServiceTokenRotateProps {
  token: ServiceTokenInList;
  onClose: () => void;
  onIssued: (token: string) => void;
}

/** Puts a new token in the place of one. */
export function ServiceTokenRotate({ token, onClose, onIssued }: ServiceTokenRotateProps) {
  const t = useTranslations('serviceTokens');
  const [minutes, setMinutes] = useState('1440');
  const rotate = useServiceTokenRotate();
  const input = { id: token.id, overlapMinutes: Number(minutes) };
  return (
    <CreateModal
      title={t('rotateTitle', { name: token.name })}
      opened
      onClose={onClose}
      onSubmit={() => rotate.mutate(input, { onSuccess: onIssued })}
      submitLabel={t('rotate')}
      pending={rotate.isPending}
      problem={rotate.error?.message}
      copy={{ call: serviceTokenRotateCall(input) }}
    >
      <Text size="sm" c="dimmed">
        {t('rotateHint')}
      </Text>
      <Select
        label={t('overlap')}
        data={OVERLAPS.map(({ minutes: value, label }) => ({ value, label: t(label) }))}
        value={minutes}
        onChange={(value) => value && setMinutes(value)}
        allowDeselect={false}
      />
    </CreateModal>
  );
}
