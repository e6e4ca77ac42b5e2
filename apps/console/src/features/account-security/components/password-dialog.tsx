import { PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../../components/create-modal.js';

interface PasswordDialogProps {
  title: string;
  hint: string;
  submitLabel: string;
  pending: boolean;
  error: Error | null;
  onClose: () => void;
  onSubmit: (password: string) => void;
}

/** Asks for the current password before a change of how the account signs in. */
export function PasswordDialog({
  title,
  hint,
  submitLabel,
  pending,
  error,
  onClose,
  onSubmit,
}: PasswordDialogProps) {
  const [password, setPassword] = useState('');
  return (
    <CreateModal
      title={title}
      opened
      onClose={onClose}
      onSubmit={() => onSubmit(password)}
      submitLabel={submitLabel}
      pending={pending}
      problem={error?.message}
    >
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      <PasswordInput
        label="Confirm your password"
        autoComplete="current-password"
        data-autofocus
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
      />
    </CreateModal>
  );
}
