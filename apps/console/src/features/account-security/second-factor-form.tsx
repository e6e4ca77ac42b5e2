import { Anchor, Checkbox, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CredentialsForm } from '../../components/forms.js';
import { authRequest } from '../../lib/auth-request.js';
import { useSingleMutation } from '../../lib/mutation.js';

/** The second step of a sign-in: a code from the app, or a recovery code. */
export function SecondFactorForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [isRecovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const [trustDevice, setTrust] = useState(false);
  const verify = useSingleMutation({
    mutationFn: () =>
      isRecovery
        ? authRequest('/two-factor/verify-backup-code', { code, trustDevice })
        : authRequest('/two-factor/verify-totp', { code: code.replace(/\s/g, ''), trustDevice }),
    onSuccess: onSignedIn,
  });
  const switchTo = () => {
    setRecovery(!isRecovery);
    setCode('');
    verify.reset();
  };
  return (
    <>
      <CredentialsForm
        onSubmit={verify.mutate}
        submitLabel="Verify"
        pending={verify.isPending}
        disabled={!code}
        problem={verify.error?.message}
      >
        <Text size="sm">
          {isRecovery ? 'Enter one of your recovery codes.' : 'Enter the code from your authenticator app.'}
        </Text>
        <TextInput
          key={String(isRecovery)}
          label={isRecovery ? 'Recovery code' : 'Code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          autoFocus
          size="sm"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <Checkbox
          label="Trust this device for 30 days"
          checked={trustDevice}
          onChange={({ currentTarget }) => setTrust(currentTarget.checked)}
        />
      </CredentialsForm>
      <Anchor component="button" type="button" size="sm" mt="sm" onClick={switchTo}>
        {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
      </Anchor>
    </>
  );
}
