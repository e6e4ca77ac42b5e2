import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';
import { serviceTokenRotateCall, useServiceTokenRotate } from '../api/service-token-rotate.js';
import type { ServiceTokenInList } from '../api/service-tokens.js';

const OVERLAPS = [
  { value: '0', label: 'Expire immediately' },
  { value: '60', label: '1 hour' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '1 week' },
];

interface ServiceTokenRotateProps {
  token: ServiceTokenInList;
  onClose: () => void;
  onIssued: (token: string) => void;
}

/** Puts a new token in the place of one. */
export function ServiceTokenRotate({ token, onClose, onIssued }: ServiceTokenRotateProps) {
  const [minutes, setMinutes] = useState('1440');
  const rotate = useServiceTokenRotate();
  const input = { id: token.id, overlapMinutes: Number(minutes) };
  return (
    <CreateModal
      title={`Rotate “${token.name}”`}
      opened
      onClose={onClose}
      onSubmit={() => rotate.mutate(input, { onSuccess: onIssued })}
      submitLabel="Rotate"
      pending={rotate.isPending}
      problem={rotate.error?.message}
      copy={{ call: serviceTokenRotateCall(input) }}
    >
      <Text size="sm" c="dimmed">
        Creates a token with the same scopes. The old token stays valid for the period you choose.
      </Text>
      <Select
        label="Keep old token valid for"
        data={OVERLAPS}
        value={minutes}
        onChange={(value) => value && setMinutes(value)}
        allowDeselect={false}
      />
    </CreateModal>
  );
}
