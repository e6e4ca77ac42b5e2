import { Button, PasswordInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { Form } from '../../components/forms.js';
import { Hint, Panel, Problem } from '../../components/page.js';
import { useFields } from '../../lib/form.js';
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
  const { values, set, bind } = useFields({}, { currentPassword: '', newPassword: '' });
  const change = usePasswordChange();
  const onSuccess = () => {
    set({ currentPassword: '', newPassword: '' });
    notifyDone('Password changed. All other sessions were signed out.');
  };
  return (
    <Panel
      title="Password"
      note="Changing it signs you out of all other sessions. Passkeys stay: remove those that are not yours."
    >
      <Form onSubmit={() => change.mutate(values, { onSuccess })}>
        <Stack gap="sm" maw={360}>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...bind('currentPassword')}
          />
          <PasswordInput
            label="New password"
            description="At least 8 characters"
            autoComplete="new-password"
            {...bind('newPassword')}
          />
          <Problem>{change.error?.message}</Problem>
          <div>
            <Button
              type="submit"
              size="sm"
              disabled={!values.currentPassword || !values.newPassword}
              loading={change.isPending}
            >
              Change password
            </Button>
          </div>
        </Stack>
      </Form>
    </Panel>
  );
}
