import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CreateModal } from '../../components/create-modal.js';
import { Hint } from '../../components/page.js';
import { authRequest } from '../../lib/auth-request.js';
import { useSingleMutation } from '../../lib/mutation.js';
import type { SignInPrompt } from '../../lib/session.js';
import { canUsePasskeys, securityQuery, signInWithPasskey } from './api.js';

/** Asks for the password, a code from the app or a passkey, whichever the account has; each starts a recent session. */
export default function IdentityDialog({ onDone, onClose }: SignInPrompt) {
  const { data: security } = useQuery(securityQuery);
  const [byCode, setByCode] = useState(false);
  const [secret, setSecret] = useState('');
  const typed = useSingleMutation({
    mutationFn: () =>
      byCode
        ? authRequest('/two-factor/verify-totp', { code: secret.replace(/\s/g, '') })
        : authRequest('/confirm-password', { password: secret }),
    onSuccess: onDone,
  });
  const passkey = useSingleMutation({ mutationFn: signInWithPasskey, onSuccess: onDone });
  // Without one, the browser would offer passkeys of other accounts.
  const offersPasskey = canUsePasskeys() && (security?.passkeys.length ?? 0) > 0;
  const switchForm = () => {
    setByCode(!byCode);
    setSecret('');
    typed.reset();
  };
  const field = {
    'data-autofocus': true,
    value: secret,
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => setSecret(currentTarget.value),
  };
  return (
    <CreateModal
      title="Confirm that it is you"
      onClose={onClose}
      onSubmit={() => typed.mutate()}
      submitLabel="Continue"
      pending={typed.isPending}
      problem={typed.error?.message ?? passkey.error?.message}
      aside={
        offersPasskey && (
          <Button variant="default" size="sm" loading={passkey.isPending} onClick={() => passkey.mutate()}>
            Use a passkey
          </Button>
        )
      }
    >
      <Hint>You signed in more than ten minutes ago. Confirm before you change how an account signs in.</Hint>
      {byCode ? (
        <TextInput key="code" label="Code" inputMode="numeric" autoComplete="one-time-code" {...field} />
      ) : (
        <PasswordInput key="password" label="Your password" autoComplete="current-password" {...field} />
      )}
      {security?.twoFactorEnabled && (
        <Anchor component="button" type="button" size="sm" onClick={switchForm}>
          {byCode ? 'Use your password' : 'Use the authenticator app'}
        </Anchor>
      )}
    </CreateModal>
  );
}
