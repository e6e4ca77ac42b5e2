import { Alert, Text, Title } from '@mantine/core';
import { IconClockOff, IconLinkOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { TOLLGATE_BRAND } from '@tollgate/contracts/brand';
import { type ReactNode, useEffect, useState } from 'react';
import { LinkAnchor } from '../../components/links.js';
import { LogoMark } from '../../components/marks.js';
import { PasskeySignIn } from '../../features/account-security/passkey-sign-in.js';
import { SecondFactorForm } from '../../features/account-security/second-factor-form.js';
import { signUpOpenQuery } from '../../features/joining/api.js';
import { SignInForm } from '../../features/session/sign-in-form.js';
import { brand } from '../../lib/brand.js';
import { forgetSession } from '../../lib/query-client.js';
import classes from './sign-in.module.css';

/** Whether the installation has no custom brand. Only then does the page describe Tollgate and how to start. */
const isOurs = brand.productName === TOLLGATE_BRAND.productName;

const LANES = 9;
const MARKS_PER_LANE = 26;

/** Decorative: requests as marks in lanes, some of them stopped at a gate. */
function GatePicture() {
  return (
    <svg viewBox="0 0 720 760" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">
      {Array.from({ length: LANES }, (_, lane) => (
        <g key={lane}>
          {Array.from({ length: MARKS_PER_LANE }, (_, mark) => markAt(lane, mark)).map(
            ({ x, y, width, passed, stopped }) => (
              <rect
                key={x}
                x={x}
                y={y}
                width={width}
                height={6}
                rx={3}
                fill={stopped ? '#f98450' : '#49baa9'}
                opacity={stopped ? 0.95 : passed ? 0.75 : 0.28}
              />
            ),
          )}
        </g>
      ))}
      <path d="M430 60v470" stroke="#edf9f6" strokeWidth="2" opacity="0.55" />
      <circle cx="430" cy="60" r="5" fill="#edf9f6" />
    </svg>
  );
}

/** Pseudo-random but fixed, so that the picture is the same on every visit. */
function markAt(lane: number, mark: number) {
  const seed = (lane * 7919 + mark * 104_729) % 997;
  const x = mark * 30 - 20 + (seed % 14);
  const beforeGate = x < 418;
  const stopped = x > 388 && beforeGate && seed % 3 !== 0;
  const passed = !beforeGate;
  const visible = passed ? seed % 5 < 3 : seed % 5 < 4;
  return { x, y: 96 + lane * 48, width: visible ? 8 + (seed % 12) : 0, passed, stopped };
}

interface SignInFrameProps {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}

/** The frame of pages before the sign-in: a form next to a picture. */
export function SignInFrame({ title, lead, children }: SignInFrameProps) {
  useEffect(() => {
    document.title = `${title} · ${brand.productName}`;
  }, [title]);
  return (
    <div className={classes.split}>
      <main className={classes.formSide}>
        <div className={classes.brand}>
          <LogoMark size={28} />
          {brand.productName}
        </div>
        <div className={classes.form}>
          <Title order={1} mb={4}>
            {title}
          </Title>
          {lead && (
            <Text c="dimmed" mb={24}>
              {lead}
            </Text>
          )}
          {children}
        </div>
        <Text size="xs" c="dimmed">
          {isOurs && 'Self-hosted. This console connects only to your servers.'}
        </Text>
      </main>
      <aside className={classes.picture} aria-label={`About ${brand.productName}`}>
        <GatePicture />
        {isOurs && (
          <>
            <p className={classes.claim}>Change a limit here and every node enforces it a moment later.</p>
            <p className={classes.claimNote}>Nodes keep deciding while the control plane is down.</p>
          </>
        )}
      </aside>
    </div>
  );
}

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next, link, session } = route.useSearch();
  const [isSecondStep, setSecondStep] = useState(false);
  const queryClient = useQueryClient();
  const router = useRouter();
  const { data: canSignUp } = useQuery(signUpOpenQuery);
  const enter = () => {
    forgetSession(queryClient);
    router.history.push(next ?? '/');
  };
  if (isSecondStep)
    return (
      <SignInFrame title="Two-factor authentication">
        <SecondFactorForm onSignedIn={enter} />
        <p className={classes.hint}>
          <LinkAnchor to="/sign-in" onClick={() => setSecondStep(false)}>
            Back to sign-in
          </LinkAnchor>
        </p>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Sign in" lead="Tiers, limits and throttling for your APIs.">
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
      {session === 'ended' && (
        <Alert
          color="ochre"
          icon={<IconClockOff size={18} aria-hidden />}
          mb="md"
          title="Your session has ended"
        >
          Sign in to go back to the page where you were.
        </Alert>
      )}
      <SignInForm onDone={(result) => (result === 'signed-in' ? enter() : setSecondStep(true))} />
      <Text size="sm" mt={12}>
        <LinkAnchor to="/forgot-password">Forgot password?</LinkAnchor>
      </Text>
      <PasskeySignIn onSignedIn={enter} />
      {canSignUp && (
        <p className={classes.hint}>
          <LinkAnchor to="/sign-up">Create an organization</LinkAnchor>
        </p>
      )}
      {isOurs && (
        <p className={classes.hint}>
          <strong>First time here?</strong> The terminal that started Tollgate prints a one-time sign-in link.
          No password needed.
        </p>
      )}
    </SignInFrame>
  );
}
