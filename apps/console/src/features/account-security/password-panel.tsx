import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { Panel } from '../../components/page.js';
import { usePasswordChange } from './api.js';

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

/** Changes the password of the signed-in person. */
export function PasswordPanel() {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = usePasswordChange();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { currentPassword, newPassword },
      {
        onSuccess: () => {
          setCurrent('');
          setNew('');
          notifications.show({
            message: 'Password changed. All other sessions were signed out.',
            color: 'gate',
            withBorder: true,
          });
        },
      },
    );
  };
  const visibilityToggleButtonProps = { 'aria-label': 'Show or hide the password' };
  return (
    <Panel title="Password" note="Changing it signs you out of all other sessions.">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" maw={360}>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            value={currentPassword}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
            visibilityToggleButtonProps={visibilityToggleButtonProps}
          />
          <PasswordInput
            label="New password"
            description="At least 8 characters"
            autoComplete="new-password"
            value={newPassword}
            onChange={({ currentTarget }) => setNew(currentTarget.value)}
            visibilityToggleButtonProps={visibilityToggleButtonProps}
          />
          {change.error && (
            <Alert role="alert" color="ember">
              {change.error.message}
            </Alert>
          )}
          <div>
            <Button
              type="submit"
              size="sm"
              disabled={!currentPassword || !newPassword}
              loading={change.isPending}
            >
              Change password
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  );
}
