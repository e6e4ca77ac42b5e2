import { Button, Divider } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { Problem } from '../../components/page.js';
import { useSingleMutation } from '../../lib/mutation.js';
import { canUsePasskeys, signInWithPasskey } from './api.js';

/** The alternative below a form with a password; nothing in a browser without passkeys. */
export function PasskeySignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const passkey = useSingleMutation({ mutationFn: signInWithPasskey, onSuccess: onSignedIn });
  if (!canUsePasskeys()) return null;
  return (
    <>
      <Divider my="sm" />
      <Problem icon={null} mb="sm">
        {passkey.error?.message}
      </Problem>
      <Button
        variant="default"
        size="sm"
        fullWidth
        leftSection={<IconFingerprint size={16} aria-hidden />}
        loading={passkey.isPending}
        onClick={() => passkey.mutate()}
      >
        Sign in with a passkey
      </Button>
    </>
  );
}
