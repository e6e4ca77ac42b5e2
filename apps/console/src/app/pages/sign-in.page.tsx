import { Alert } from '@mantine/core';
import { IconLinkOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { LinkAnchor } from '../../components/link.js';
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
  const queryClient = useQueryClient();
  const router = useRouter();
  const { data: canSignUp } = useQuery(signUpOpenQuery);
  const enter = () => {
    queryClient.clear();
    router.history.push(next ?? '/');
  };
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
      <SignInForm onSignedIn={enter} />
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
