import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Problem } from '../../components/page.js';
import type { InvitationQuery } from '../../generated/graphql.js';
import { bindFields, keyFromName } from '../../lib/form.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatMoment } from '../../lib/time-format.js';
import { viewerQuery } from '../../lib/viewer.js';
import { InvitationAcceptDocument, TenantSignUpDocument } from './api.js';

type Invitation = NonNullable<InvitationQuery['invitation']>;

interface AcceptFormProps {
  token: string;
  invitation: Invitation;
  /** Called with the credentials to sign in with. */
  onAccepted: (accepted: { email: string; password: string; tenantKey: string | null }) => void;
}

/** Accepts an invitation: new users set a password, existing users enter theirs. */
export function AcceptForm({ token, invitation, onAccepted }: AcceptFormProps) {
  const { to, role, email, hasAccount, expiresAt } = invitation;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const accept = useInputMutation(InvitationAcceptDocument, viewerQuery.queryKey);
  const { byField, form } = errorsByField(accept.error, ['name', 'password']);
  const roleName = role.toLowerCase().replace('_', ' ');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        accept.mutate(
          { token, password, name: hasAccount ? null : name },
          { onSuccess: ({ email: to, tenantKey }) => onAccepted({ email: to ?? '', password, tenantKey }) },
        );
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          You are invited as {roleName} with {email}. The link works once and expires{' '}
          {formatMoment(expiresAt)}.
        </Text>
        <Problem>{form}</Problem>
        {hasAccount && <Text size="sm">This email address already has an account. Enter its password.</Text>}
        {!hasAccount && (
          <TextInput
            label="Your name"
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
          label={hasAccount ? 'Your password' : 'Choose a password'}
          description={hasAccount ? undefined : 'At least 8 characters.'}
          autoComplete={hasAccount ? 'current-password' : 'new-password'}
          size="sm"
          value={password}
          onChange={({ currentTarget: { value } }) => setPassword(value)}
          error={byField.password}
        />
        <Button type="submit" size="sm" fullWidth mt={6} loading={accept.isPending}>
          Join {to}
        </Button>
      </Stack>
    </form>
  );
}

/** Requests a new organization; calls `onSent` when the email is sent. */
export function SignUpForm({ onSent }: { onSent: (email: string) => void }) {
  const [values, setValues] = useState({ name: '', key: '', email: '' });
  const signUp = useInputMutation(TenantSignUpDocument);
  const { byField, form } = errorsByField(signUp.error, ['name', 'key', 'email']);
  const follows = values.key === keyFromName(values.name);
  const set = (part: Partial<typeof values>) => setValues({ ...values, ...part });
  const bind = bindFields(values, set, byField);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const email = values.email.trim();
        signUp.mutate({ ...values, email }, { onSuccess: () => onSent(email) });
      }}
    >
      <Stack gap="sm">
        <Problem>{form}</Problem>
        <TextInput
          label="Organization name"
          autoComplete="organization"
          autoFocus
          size="sm"
          {...bind('name')}
          onChange={({ currentTarget: { value: name } }) =>
            set({ name, key: follows ? keyFromName(name) : values.key })
          }
        />
        <TextInput
          label="Key"
          description="Used in URLs and requests, such as acme. It cannot be changed later."
          autoComplete="off"
          spellCheck={false}
          size="sm"
          {...bind('key')}
        />
        <TextInput label="Your email" type="email" autoComplete="email" size="sm" {...bind('email')} />
        <Button type="submit" size="sm" fullWidth mt={6} loading={signUp.isPending}>
          Send link
        </Button>
      </Stack>
    </form>
  );
}
