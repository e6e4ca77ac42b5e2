import { Alert, Button, Divider } from '@mantine/core';
import { IconFingerprint, IconLinkOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
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
  const texts = useTranslations('pages.signIn');
  const { next, link } = route.useSearch();
  const t = useTranslations('joining');
  const security = useTranslations('accountSecurity');
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
      <Door title={security('secondStep')}>
        <SecondFactorForm onSignedIn={enter} />
        <p className={classes.hint}>
          <LinkAnchor to="/sign-in" onClick={() => setSecondStep(false)}>
            {security('backToSignIn')}
          </LinkAnchor>
        </p>
      </Door>
    );
  return (
    <Door title={texts('signIn')} lead="Tiers, limits and throttling for your APIs.">
      {link === 'spent' && (
        <Alert
          color="ochre"
          icon={<IconLinkOff size={18} aria-hidden />}
          mb="md"
          title={texts('thisLinkWorksOnly')}
        >
          {texts('itWasUsedBefore')}
        </Alert>
      )}
      <SignInForm onDone={(result) => (result === 'signed-in' ? enter() : setSecondStep(true))} />
      <p className={classes.below}>
        <LinkAnchor to="/forgot-password">{security('forgotPassword')}</LinkAnchor>
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
            {security('passkeySignIn')}
          </Button>
        </>
      )}
      {canSignUp && (
        <p className={classes.hint}>
          <LinkAnchor to="/sign-up">{t('signUp')}</LinkAnchor>
        </p>
      )}
      <p className={classes.hint}>
        <strong>{texts('firstStart')}</strong> {texts('theTerminalThatStarted')}
      </p>
    </Door>
  );
}
