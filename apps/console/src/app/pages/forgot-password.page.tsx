import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { LinkAnchor } from '../../components/link.js';
import { usePasswordResetRequest } from '../../features/account-security/api/account.js';
import { Door } from './door.js';
import classes from './sign-in.module.css';

/** Asks for a link that resets the password. */
export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const request = usePasswordResetRequest();
  const signIn = (
    <p className={classes.hint}>
      <LinkAnchor to="/sign-in">Back to sign-in</LinkAnchor>
    </p>
  );
  if (request.isSuccess)
    return (
      <Door title="Check your email">
        <Alert role="status" color="gate" mt="sm" icon={<IconMail size={18} aria-hidden />}>
          If {request.variables} has an account, we sent a link. It works once and expires in one hour.
        </Alert>
        {signIn}
      </Door>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate(email.trim());
  };
  return (
    <Door
      title="Reset your password"
      lead="Enter the email address of your account. We will send you a link."
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {request.error && (
            <Alert role="alert" color="ember">
              {request.error.message}
            </Alert>
          )}
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            size="sm"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <Button type="submit" size="sm" fullWidth disabled={!email.trim()} loading={request.isPending}>
            Send link
          </Button>
        </Stack>
      </form>
      {signIn}
    </Door>
  );
}
