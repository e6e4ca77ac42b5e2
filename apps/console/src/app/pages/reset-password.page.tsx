import { Alert, Button, PasswordInput, Stack } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { LinkAnchor, LinkButton } from '../../components/link.js';
import { usePasswordReset } from '../../features/account-security/api/account.js';
import { AuthError } from '../../features/account-security/api/auth-request.js';
import { Door } from './door.js';
import classes from './sign-in.module.css';

/** The page that the link in a password-reset mail opens. The token follows the `#`, so no server or log sees it. */
export function ResetPasswordPage() {
  const t = useTranslations('accountSecurity');
  const hash = useLocation({ select: (location) => location.hash });
  const [token] = useState(hash);
  const [newPassword, setPassword] = useState('');
  const reset = usePasswordReset();
  const isBad = token === '' || (reset.error instanceof AuthError && reset.error.code === 'INVALID_TOKEN');
  if (isBad)
    return (
      <Door title={t('badLink')} lead={t('badLinkHint')}>
        <LinkButton to="/forgot-password" size="sm">
          {t('requestLink')}
        </LinkButton>
      </Door>
    );
  if (reset.isSuccess)
    return (
      <Door title={t('passwordSet')} lead={t('passwordSetHint')}>
        <LinkButton to="/sign-in" size="sm">
          {t('backToSignIn')}
        </LinkButton>
      </Door>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    reset.mutate({ token, newPassword });
  };
  return (
    <Door title={t('chooseTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" mt="md">
          {reset.error && (
            <Alert role="alert" color="ember">
              {reset.error.message}
            </Alert>
          )}
          <PasswordInput
            label={t('newPassword')}
            description={t('newPasswordHint')}
            autoComplete="new-password"
            autoFocus
            size="sm"
            value={newPassword}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          />
          <Button type="submit" size="sm" fullWidth disabled={!newPassword} loading={reset.isPending}>
            {t('setPassword')}
          </Button>
        </Stack>
      </form>
      <p className={classes.hint}>
        <LinkAnchor to="/sign-in">{t('backToSignIn')}</LinkAnchor>
      </p>
    </Door>
  );
}
