import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CopyBlock } from './copy-block.js';

interface SecretModalProps {
  title: string;
  /** What it is, and that it is shown this once. */
  hint: string;
  secret: string;
  copyLabel: string;
  doneLabel: string;
  onClose: () => void;
}

/** A secret, this once: closed only by saying that it is stored. */
export function SecretModal({ title, hint, secret, copyLabel, doneLabel, onClose }: SecretModalProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Alert color="ochre" icon={<IconAlertTriangle size={18} aria-hidden />}>
          {hint}
        </Alert>
        <CopyBlock text={secret} label={copyLabel} />
        <Group justify="flex-end">
          <Button size="sm" onClick={onClose}>
            {doneLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
