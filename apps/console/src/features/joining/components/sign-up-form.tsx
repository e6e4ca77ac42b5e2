import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { keyFromName } from '../../../lib/key-from-name.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { useTenantSignUp } from '../api/joining.js';

/** Asks for a new organisation; calls `onSent` once a link is on its way. */
export function SignUpForm({ onSent }: { onSent: (email: string) => void }) {
  const [values, setValues] = useState({ name: '', key: '', email: '' });
  const signUp = useTenantSignUp();
  const { byField, form } = errorsByField(signUp.error, ['name', 'key', 'email']);
  const follows = values.key === keyFromName(values.name);
  const set = (part: Partial<typeof values>) => setValues({ ...values, ...part });
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
        {form && (
          <Alert role="alert" color="ember" icon={<IconAlertCircle size={18} aria-hidden />}>
            {form}
          </Alert>
        )}
        <TextInput
          label="Organisation name"
          autoComplete="organization"
          autoFocus
          size="sm"
          value={values.name}
          onChange={({ currentTarget: { value: name } }) =>
            set({ name, key: follows ? keyFromName(name) : values.key })
          }
          error={byField.name}
        />
        <TextInput
          label="Key"
          description="Used in URLs and requests, such as acme. It cannot be changed later."
          autoComplete="off"
          spellCheck={false}
          size="sm"
          value={values.key}
          onChange={({ currentTarget: { value } }) => set({ key: value })}
          error={byField.key}
        />
        <TextInput
          label="Your email"
          type="email"
          autoComplete="email"
          size="sm"
          value={values.email}
          onChange={({ currentTarget: { value } }) => set({ email: value })}
          error={byField.email}
        />
        <Button type="submit" size="sm" fullWidth mt={6} loading={signUp.isPending}>
          Send link
        </Button>
      </Stack>
    </form>
  );
}
