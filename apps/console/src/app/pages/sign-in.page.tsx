import { Alert, Button, Divider } from '@mantine/core';
import { IconFingerprint, IconLinkOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { LinkAnchor } from '../../components/link.js';
import { canUsePasskeys, signInWithPasskey } from '../../features/account-security/api/account.js';
import { SecondFactorForm } from '../../features/account-security/components/second-factor-form.js';
import { signUpOpenQuery } from '../../features/joining/api/joining.js';
import { SignInForm } from '../../features/session/components/sign-in-form.js';
import { Door } from './door.js';
import classes from './sign-in.module.css';

const route = getRouteApi('/sign-in');

/** The door: email and password, and a word about the one-time link. */
export function SignInPage() {
  const { next, link } = route.useSearch();
  const [isSecondStep, setSecondStep] = useState(false);
  const queryClient = useQueryClient();
  const router = useRouter();
  const { data: canSignUp } = useQuery(signUpOpenQuery);
  const enter = () => {
    queryClient.clear();
    router.history.push(next ?? '/');
  };
  const passkey = useMutation({ mutationFn: signInWithPasskey, onSuccess: enter });
  if (isSecondStep)
    return (
      <Door title="Two-factor authentication">
        <SecondFactorForm onSignedIn={enter} />
        <p className={classes.hint}>
          <LinkAnchor to="/sign-in" onClick={() => setSecondStep(false)}>
            Back to sign-in
          </LinkAnchor>
        </p>
      </Door>
    );
  return (
    <Door title="Sign in" lead="Tiers, limits and throttling for your APIs.">
      {link === 'spent' && (
        <Alert
          color="ochre"
          icon={<IconLinkOff size={18} aria-hidden />}
          mb="md"
          title="This link works only once"
        >
          It was already used or has expired. Sign in with your password instead.
        </Alert>
      )}
      <SignInForm onDone={(result) => (result === 'signed-in' ? enter() : setSecondStep(true))} />
      <p className={classes.below}>
        <LinkAnchor to="/forgot-password">Forgot password?</LinkAnchor>
      </p>
      {canUsePasskeys() && (
        <>
          <Divider my="sm" />
          {passkey.error && (
            <Alert role="alert" color="ember" mb="sm">
              {passkey.error.message}
            </Alert>
          )}
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
      )}
      {canSignUp && (
        <p className={classes.hint}>
          <LinkAnchor to="/sign-up">Create an organisation</LinkAnchor>
        </p>
      )}
      <p className={classes.hint}>
        <strong>First time here?</strong> The terminal that started Tollgate prints a one-time sign-in link.
        No password needed.
      </p>
    </Door>
  );
}
