import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyAs, type CopyAsProps } from './copy.js';
import { Form } from './forms.js';
import { Problem } from './page.js';
import { UnlessUnreadable } from './typed-field.js';

interface CreateModalProps {
  title: string;
  opened?: boolean;
  onClose: () => void;
  onSubmit: () => void;
  submitLabel: string;
  /** Colors the button as a destructive action. */
  danger?: boolean;
  pending: boolean;
  copy?: CopyAsProps;
  /** Next to the buttons: an alternative, such as adding to a change set. */
  aside?: ReactNode;
  /** Error that belongs to no field. */
  problem: ReactNode;
  children: ReactNode;
}

/** A dialog with fields, an error and two buttons. */
export function CreateModal(props: CreateModalProps) {
  const { title, opened = true, onClose, onSubmit, submitLabel, pending, problem, children } = props;
  const { danger = false, copy, aside } = props;
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Form onSubmit={onSubmit}>
        <Stack gap="sm">
          {children}
          <Problem>{problem}</Problem>
          <Group justify="flex-end" gap="xs" mt="xs">
            {copy && (
              <div style={{ marginRight: 'auto' }}>
                <CopyAs {...copy} />
              </div>
            )}
            {aside && (
              <UnlessUnreadable fieldsOf={(button) => button.closest('form')}>{aside}</UnlessUnreadable>
            )}
            <Button variant="default" size="sm" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" size="sm" loading={pending} {...(danger ? { color: 'ember' } : {})}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
