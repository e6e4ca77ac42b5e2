import { PasswordInput, Text, TextInput } from '@mantine/core';
import { CredentialsForm } from '../../components/forms.js';
import type { InvitationQuery } from '../../generated/graphql.js';
import { keyFromName, useFields } from '../../lib/form.js';
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
  const accept = useInputMutation(InvitationAcceptDocument, viewerQuery.queryKey);
  const { byField, form } = errorsByField(accept.error, ['name', 'password']);
  const { values, bind } = useFields(byField, { name: '', password: '' });
  const { password } = values;
  const submit = () =>
    accept.mutate(
      { token, password, name: hasAccount ? null : values.name },
      { onSuccess: ({ email: to, tenantKey }) => onAccepted({ email: to ?? '', password, tenantKey }) },
    );
  const roleName = role.toLowerCase().replace('_', ' ');
  return (
    <CredentialsForm onSubmit={submit} submitLabel={`Join ${to}`} pending={accept.isPending} problem={form}>
      <Text size="sm">
        You are invited as {roleName} with {email}. The link works once and expires {formatMoment(expiresAt)}.
      </Text>
      {hasAccount && <Text size="sm">This email address already has an account. Enter its password.</Text>}
      {!hasAccount && (
        <TextInput label="Your name" autoComplete="name" autoFocus size="sm" {...bind('name')} />
      )}
      {/* So that a password manager knows whose password it is. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordInput
        label={hasAccount ? 'Your password' : 'Choose a password'}
        description={hasAccount ? undefined : 'At least 8 characters.'}
        autoComplete={hasAccount ? 'current-password' : 'new-password'}
        size="sm"
        {...bind('password')}
      />
    </CredentialsForm>
  );
}

/** Requests a new organization; calls `onSent` when the email is sent. */
export function SignUpForm({ onSent }: { onSent: (email: string) => void }) {
  const signUp = useInputMutation(TenantSignUpDocument);
  const { byField, form } = errorsByField(signUp.error, ['name', 'key', 'email']);
  const { values, set, bind } = useFields(byField, { name: '', key: '', email: '' });
  const follows = values.key === keyFromName(values.name);
  const submit = () => {
    const email = values.email.trim();
    signUp.mutate({ ...values, email }, { onSuccess: () => onSent(email) });
  };
  return (
    <CredentialsForm onSubmit={submit} submitLabel="Send link" pending={signUp.isPending} problem={form}>
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
    </CredentialsForm>
  );
}
