import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { InvitationQuery } from '../../../generated/graphql.js';
import { formatMoment } from '../../../lib/time-format.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { useInvitationAccept } from '../api/joining.js';

type Invitation = NonNullable<InvitationQuery['invitation']>;

interface AcceptFormProps {
  token: string;
  invitation: Invitation;
  /** With what the person signs in from now on. */
  onAccepted: (accepted: { email: string; password: string; tenantKey: string | null }) => void;
}

/** Accepts an invitation: sets a password for somebody new, asks for the password of somebody known. */
export function AcceptForm({ token, invitation, onAccepted }: AcceptFormProps) {
  const t = useTranslations('joining');
  const { to, role, email, hasAccount, expiresAt } = invitation;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const accept = useInvitationAccept();
  const { byField, form } = errorsByField(accept.error, ['name', 'password']);
  const roleName = t.has(role as 'OWNER') ? t(role as 'OWNER') : role.toLowerCase();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        accept.mutate(
          { token, password, name: hasAccount ? null : name },
          { onSuccess: (accepted) => onAccepted({ ...accepted, password }) },
        );
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t('asRole', { role: roleName, email })} {t('until', { at: formatMoment(expiresAt) })}
        </Text>
        {form && (
          <Alert role="alert" color="ember" icon={<IconAlertCircle size={18} aria-hidden />}>
            {form}
          </Alert>
        )}
        {hasAccount && <Text size="sm">{t('hasAccount')}</Text>}
        {!hasAccount && (
          <TextInput
            label={t('name')}
            autoComplete="name"
            autoFocus
            size="sm"
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
            error={byField.name}
          />
        )}
        {/* So that a password manager knows whose password it is. */}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <PasswordInput
          label={t(hasAccount ? 'ownPassword' : 'password')}
          description={hasAccount ? undefined : t('passwordHint')}
          autoComplete={hasAccount ? 'current-password' : 'new-password'}
          size="sm"
          value={password}
          onChange={({ currentTarget: { value } }) => setPassword(value)}
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          error={byField.password}
        />
        <Button type="submit" size="sm" fullWidth mt={6} loading={accept.isPending}>
          {t('join', { to })}
        </Button>
      </Stack>
    </form>
  );
}
