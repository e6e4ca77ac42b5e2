import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { answer, type Question } from './confirmation.js';

export default function ConfirmationDialog({ question }: { question: Question }) {
  const { title, text, confirm, cancel = 'Cancel', color = 'ember' } = question;
  return (
    <Modal opened onClose={() => answer(false)} title={title}>
      <Stack>
        <Text size="sm">{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" size="sm" onClick={() => answer(false)}>
            {cancel}
          </Button>
          <Button size="sm" color={color} data-autofocus onClick={() => answer(true)}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
