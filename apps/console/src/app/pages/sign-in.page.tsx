import { Alert } from '@mantine/core';
import { IconLinkOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { LogoMark } from '../../components/logo.js';
import { SignInForm } from '../../features/session/components/sign-in-form.js';
import { GatePicture } from './gate-picture.js';
import classes from './sign-in.module.css';

const route = getRouteApi('/sign-in');

/** The door: email and password, and a word about the one-time link. */
export function SignInPage() {
  const { next, link } = route.useSearch();
  const queryClient = useQueryClient();
  const router = useRouter();
  useEffect(() => {
    document.title = 'Sign in · Tollgate';
  }, []);
  const enter = () => {
    queryClient.clear();
    router.history.push(next ?? '/');
  };
  return (
    <div className={classes.split}>
      <main className={classes.formSide}>
        <div className={classes.brand}>
          <LogoMark size={28} />
          Tollgate
        </div>
        <div className={classes.form}>
          <h1 className={classes.title}>Sign in</h1>
          <p className={classes.lead}>Tiers, limits and throttling for your APIs.</p>
          {link === 'spent' && (
            <Alert
              color="ochre"
              icon={<IconLinkOff size={18} aria-hidden />}
              mb="md"
              title="This link works only once"
            >
              It was used before, or it is too old. Sign in with your password instead.
            </Alert>
          )}
          <SignInForm onSignedIn={enter} />
          <p className={classes.hint}>
            <strong>First start?</strong> The terminal that started Tollgate prints a one-time link. It signs
            you in without a password, once, and stops working after that.
          </p>
        </div>
        <div className={classes.foot}>Self-hosted. This console calls no other server than yours.</div>
      </main>
      <aside className={classes.picture} aria-label="About Tollgate">
        <GatePicture />
        <p className={classes.claim}>Change a limit here, see it enforced on every node a moment later.</p>
        <p className={classes.claimNote}>Decisions go on even while the control plane is down.</p>
      </aside>
    </div>
  );
}
