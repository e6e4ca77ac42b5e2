import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Problem } from '../../components/page.js';
import { type SignInResult, signIn } from './api.js';

export function SignInForm({ onDone }: { onDone: (result: SignInResult) => void }) {
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : 'Type the email address of your account'),
      password: (value) => (value === '' ? 'Type your password' : null),
    },
  });
  const session = useMutation({ mutationFn: signIn, onSuccess: onDone });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ email, password }) => session.mutate({ email: email.trim(), password }))}
    >
      <Stack gap="sm">
        <Problem>{session.error?.message}</Problem>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          size="sm"
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          size="sm"
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="sm" fullWidth mt={6} loading={session.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
