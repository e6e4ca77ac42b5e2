import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { LinkAnchor } from '../../components/link.js';
import { usePasswordResetRequest } from '../../features/account-security/api/account.js';
import { Door } from './door.js';
import classes from './sign-in.module.css';

/** Asks for a link that resets the password. */
export function ForgotPasswordPage() {
  const t = useTranslations('accountSecurity');
  const [email, setEmail] = useState('');
  const request = usePasswordResetRequest();
  const signIn = (
    <p className={classes.hint}>
      <LinkAnchor to="/sign-in">{t('backToSignIn')}</LinkAnchor>
    </p>
  );
  if (request.isSuccess)
    return (
      <Door title={t('linkSent')}>
        <Alert role="status" color="gate" mt="sm" icon={<IconMail size={18} aria-hidden />}>
          {t('linkSentHint', { email: request.variables })}
        </Alert>
        {signIn}
      </Door>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate(email.trim());
  };
  return (
    <Door title={t('resetTitle')} lead={t('resetLead')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {request.error && (
            <Alert role="alert" color="ember">
              {request.error.message}
            </Alert>
          )}
          <TextInput
            label={t('email')}
            type="email"
            autoComplete="username"
            autoFocus
            size="sm"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <Button type="submit" size="sm" fullWidth disabled={!email.trim()} loading={request.isPending}>
            {t('sendLink')}
          </Button>
        </Stack>
      </form>
      {signIn}
    </Door>
  );
}
