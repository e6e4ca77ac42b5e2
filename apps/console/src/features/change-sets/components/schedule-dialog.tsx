import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import dayjs from 'dayjs';
import { type ReactNode, useState } from 'react';

interface ScheduleDialogProps {
  pending: boolean;
  problem: ReactNode;
  onClose: () => void;
  onSend: (at: string) => void;
}

const FORMAT = 'YYYY-MM-DDTHH:mm';

/** When a set is to be applied by itself, in the reader's zone. */
export function ScheduleDialog({ pending, problem, onClose, onSend }: ScheduleDialogProps) {
  const [at, setAt] = useState(() => dayjs().add(1, 'day').startOf('hour').format(FORMAT));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Modal opened onClose={onClose} title="Schedule">
      <Stack gap="sm">
        <TextInput
          type="datetime-local"
          label={`Date and time, in your time zone (${zone})`}
          data-autofocus
          value={at}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
        {problem}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" size="sm" onClick={onClose}>
            Back
          </Button>
          <Button
            size="sm"
            loading={pending}
            disabled={!dayjs(at).isValid()}
            onClick={() => onSend(dayjs(at).toISOString())}
          >
            Schedule
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
