import { Button, Group, Modal, Stack } from '@mantine/core';
import { answer, type Question } from './confirmation.js';

export default function ConfirmationDialog({ question }: { question: Question }) {
  const { title, children, labels, color } = question;
  return (
    <Modal opened onClose={() => answer(false)} title={title}>
      <Stack>
        <div>{children}</div>
        <Group justify="flex-end">
          <Button variant="default" size="sm" onClick={() => answer(false)}>
            {labels.cancel}
          </Button>
          <Button
            size="sm"
            {...(color === undefined ? {} : { color })}
            data-autofocus
            onClick={() => answer(true)}
          >
            {labels.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
