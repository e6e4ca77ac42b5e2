import { Alert, Button, PasswordInput, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Panel } from '../../../components/page.js';
import { usePasswordChange } from '../api/account.js';

/** Changes the password of the signed-in person. */
export function PasswordPanel() {
  const t = useTranslations('accountSecurity');
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
          notifications.show({ message: t('passwordChanged'), color: 'gate', withBorder: true });
        },
      },
    );
  };
  const visibilityToggleButtonProps = { 'aria-label': t('showPassword') };
  return (
    <Panel title={t('password')} note={t('passwordNote')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" maw={360}>
          <PasswordInput
            label={t('currentPassword')}
            autoComplete="current-password"
            value={currentPassword}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
            visibilityToggleButtonProps={visibilityToggleButtonProps}
          />
          <PasswordInput
            label={t('newPassword')}
            description={t('newPasswordHint')}
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
              {t('changePassword')}
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  );
}
