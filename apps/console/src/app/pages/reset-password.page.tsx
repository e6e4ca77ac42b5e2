import { Alert, Button, PasswordInput, Stack } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { LinkAnchor, LinkButton } from '../../components/link.js';
import { usePasswordReset } from '../../features/account-security/api/account.js';
import { AuthError } from '../../features/account-security/api/auth-request.js';
import { Door } from './door.js';
import classes from './sign-in.module.css';

/** The page that the link in a password-reset mail opens. The token follows the `#`, so no server or log sees it. */
export function ResetPasswordPage() {
  const hash = useLocation({ select: (location) => location.hash });
  const [token] = useState(hash);
  const [newPassword, setPassword] = useState('');
  const reset = usePasswordReset();
  const isBad = token === '' || (reset.error instanceof AuthError && reset.error.code === 'INVALID_TOKEN');
  if (isBad)
    return (
      <Door
        title="This link is invalid"
        lead="It was already used, has expired or is incomplete. Request a new one."
      >
        <LinkButton to="/forgot-password" size="sm">
          Request new link
        </LinkButton>
      </Door>
    );
  if (reset.isSuccess)
    return (
      <Door title="Password changed" lead="Sign in with your new password.">
        <LinkButton to="/sign-in" size="sm">
          Back to sign-in
        </LinkButton>
      </Door>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    reset.mutate({ token, newPassword });
  };
  return (
    <Door title="Choose a new password">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" mt="md">
          {reset.error && (
            <Alert role="alert" color="ember">
              {reset.error.message}
            </Alert>
          )}
          <PasswordInput
            label="New password"
            description="At least 8 characters"
            autoComplete="new-password"
            autoFocus
            size="sm"
            value={newPassword}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
          />
          <Button type="submit" size="sm" fullWidth disabled={!newPassword} loading={reset.isPending}>
            Set password
          </Button>
        </Stack>
      </form>
      <p className={classes.hint}>
        <LinkAnchor to="/sign-in">Back to sign-in</LinkAnchor>
      </p>
    </Door>
  );
}
