import { Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { Hint, Panel, Problem } from '../../components/page.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { usePasswordChange } from './api.js';

interface PasswordDialogProps {
  title: string;
  hint: string;
  submitLabel: string;
  mutation: { isPending: boolean; error: Error | null };
  onClose: () => void;
  onSubmit: (password: string) => void;
}

/** Asks for the current password before a change of how the account signs in. */
export function PasswordDialog({ hint, mutation, onSubmit, ...props }: PasswordDialogProps) {
  const [password, setPassword] = useState('');
  return (
    <CreateModal
      {...props}
      onSubmit={() => onSubmit(password)}
      pending={mutation.isPending}
      problem={mutation.error?.message}
    >
      <Hint>{hint}</Hint>
      <PasswordInput
        label="Confirm your password"
        autoComplete="current-password"
        data-autofocus
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
    </CreateModal>
  );
}

/** Changes the viewer's password. */
export function PasswordPanel() {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = usePasswordChange();
  const onSuccess = () => {
    setCurrent('');
    setNew('');
    notifyDone('Password changed. All other sessions were signed out.');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ currentPassword, newPassword }, { onSuccess });
  };
  return (
    <Panel title="Password" note="Changing it signs you out of all other sessions.">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" maw={360}>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            value={currentPassword}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description="At least 8 characters"
            autoComplete="new-password"
            value={newPassword}
            onChange={({ currentTarget }) => setNew(currentTarget.value)}
          />
          <Problem icon={null}>{change.error?.message}</Problem>
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
