import { PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CredentialsForm } from '../../components/forms.js';
import { useFields } from '../../lib/form.js';
import { useSingleMutation } from '../../lib/mutation.js';
import { type SignInResult, signIn } from './api.js';

interface SignInFormProps {
  /** The only account that may sign in. */
  email?: string | undefined;
  onDone: (result: SignInResult) => void;
}

export function SignInForm({ email: only, onDone }: SignInFormProps) {
  const [errors, setErrors] = useState<Record<string, string>>({});
  const { values, bind } = useFields(errors, { email: only ?? '', password: '' });
  const session = useSingleMutation({ mutationFn: signIn, onSuccess: onDone });
  const submit = () => {
    const email = values.email.trim();
    const found = {
      ...(!/^\S+@\S+$/.test(email) && { email: 'Type the email address of your account' }),
      ...(values.password === '' && { password: 'Type your password' }),
    };
    setErrors(found);
    if (Object.keys(found).length === 0) session.mutate({ ...values, email });
  };
  return (
    <CredentialsForm
      onSubmit={submit}
      submitLabel="Sign in"
      pending={session.isPending}
      problem={session.error?.message}
    >
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        readOnly={only !== undefined}
        autoFocus={only === undefined}
        size="sm"
        {...bind('email')}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        autoFocus={only !== undefined}
        data-autofocus={only !== undefined || undefined}
        size="sm"
        {...bind('password')}
      />
    </CredentialsForm>
  );
}
