import { Alert, Button, Group, PasswordInput, Skeleton, TextInput } from '@mantine/core';
import { IconMail, IconMailOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CredentialsForm } from '../../components/forms.js';
import { LinkAnchor, LinkButton } from '../../components/links.js';
import { PasswordResetRequestDocument, usePasswordReset } from '../../features/account-security/api.js';
import { invitationQuery, signUpOpenQuery } from '../../features/joining/api.js';
import { AcceptForm, SignUpForm } from '../../features/joining/forms.js';
import { signIn } from '../../features/session/api.js';
import { AuthError } from '../../lib/auth-request.js';
import { useInputMutation, useSingleMutation } from '../../lib/mutation.js';
import { forgetSession } from '../../lib/query-client.js';
import classes from './sign-in.module.css';
import { SignInFrame } from './sign-in.page.js';

function BackToSignIn() {
  return (
    <p className={classes.hint}>
      <LinkAnchor to="/sign-in">Back to sign-in</LinkAnchor>
    </p>
  );
}

export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const request = useInputMutation(PasswordResetRequestDocument);
  if (request.isSuccess)
    return (
      <SignInFrame title="Check your email">
        <Alert role="status" color="gate" mt="sm" icon={<IconMail size={18} aria-hidden />}>
          If {request.variables.email} has an account, we sent a link. It works once and expires in one hour.
        </Alert>
        <BackToSignIn />
      </SignInFrame>
    );
  return (
    <SignInFrame
      title="Reset your password"
      lead="Enter the email address of your account. We will send you a link."
    >
      <CredentialsForm
        onSubmit={() => request.mutate({ email: email.trim() })}
        submitLabel="Send link"
        pending={request.isPending}
        disabled={!email.trim()}
        problem={request.error?.message}
      >
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          size="sm"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
      </CredentialsForm>
      <BackToSignIn />
    </SignInFrame>
  );
}

/** The page that the link in a password-reset mail opens. The token follows the `#`, so no server or log sees it. */
export function ResetPasswordPage() {
  const hash = useLocation({ select: (location) => location.hash });
  const [token] = useState(hash);
  const [newPassword, setPassword] = useState('');
  const reset = usePasswordReset();
  const isBad = token === '' || (reset.error instanceof AuthError && reset.error.code === 'INVALID_TOKEN');
  if (isBad)
    return (
      <SignInFrame
        title="This link is invalid"
        lead="It was already used, has expired or is incomplete. Request a new one."
      >
        <LinkButton to="/forgot-password" size="sm">
          Request new link
        </LinkButton>
      </SignInFrame>
    );
  if (reset.isSuccess)
    return (
      <SignInFrame
        title="Password changed"
        lead="Sign in with your new password. All sessions were signed out, and all passkeys were removed."
      >
        <LinkButton to="/sign-in" size="sm">
          Back to sign-in
        </LinkButton>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Choose a new password">
      <CredentialsForm
        onSubmit={() => reset.mutate({ token, newPassword })}
        submitLabel="Set password"
        pending={reset.isPending}
        disabled={!newPassword}
        problem={reset.error?.message}
      >
        <PasswordInput
          label="New password"
          description="At least 8 characters"
          autoComplete="new-password"
          autoFocus
          size="sm"
          mt="xs"
          value={newPassword}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
      </CredentialsForm>
      <BackToSignIn />
    </SignInFrame>
  );
}

/** The page that the link in an invitation opens. The token follows the `#`, so no server or log sees it. */
export function InvitationPage() {
  const hash = useLocation({ select: (location) => location.hash });
  // State: the token is removed from the address after it was read.
  const [token] = useState(hash);
  const query = useQuery({ ...invitationQuery(token), enabled: token !== '' });
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const enter = useSingleMutation({
    mutationFn: async ({ email, password, tenantKey }: Accepted) => {
      if ((await signIn({ email, password })) === 'second-factor') throw new Error('second factor required');
      return tenantKey;
    },
    onSuccess: (tenantKey) => {
      forgetSession(queryClient);
      void (tenantKey === null
        ? navigate({ to: '/' })
        : navigate({ to: '/portal/$tenantKey', params: { tenantKey } }));
    },
    // The account exists even if the first sign-in fails; the sign-in page shows the error.
    onError: () => void navigate({ to: '/sign-in' }),
  });
  const { data: invitation } = query;
  if (token === '' || invitation === null) {
    return (
      <SignInFrame title="This invitation is invalid">
        <Alert color="ochre" mt="sm" icon={<IconMailOff size={18} aria-hidden />}>
          {token === ''
            ? 'The link is incomplete. Open it from your email again.'
            : 'It was already used, has expired or was revoked. Ask for a new invitation.'}
        </Alert>
        <Group mt="md">
          <LinkButton to="/sign-in" variant="default">
            Sign in
          </LinkButton>
        </Group>
      </SignInFrame>
    );
  }
  if (query.error) {
    return (
      <SignInFrame title="The invitation could not be loaded" lead={query.error.message}>
        <Button variant="default" onClick={() => void query.refetch()}>
          Try again
        </Button>
      </SignInFrame>
    );
  }
  if (!invitation) {
    return (
      <SignInFrame title="Loading invitation">
        <Skeleton h={180} />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={`Join ${invitation.to}`}>
      <AcceptForm token={token} invitation={invitation} onAccepted={(accepted) => enter.mutate(accepted)} />
    </SignInFrame>
  );
}

interface Accepted {
  email: string;
  password: string;
  tenantKey: string | null;
}

export function SignUpPage() {
  const { data: isOpen } = useQuery(signUpOpenQuery);
  const [sentTo, setSentTo] = useState<string>();
  const signIn = (
    <p className={classes.hint}>
      Already have an account? <LinkAnchor to="/sign-in">Sign in</LinkAnchor>
    </p>
  );
  if (isOpen === false) {
    return (
      <SignInFrame title="Sign-up is closed">
        <Alert color="ochre" mt="sm" icon={<IconMailOff size={18} aria-hidden />}>
          Ask the operator of this service for an invitation.
        </Alert>
        {signIn}
      </SignInFrame>
    );
  }
  if (sentTo !== undefined) {
    return (
      <SignInFrame title="Check your email">
        <Alert role="status" color="gate" mt="sm" icon={<IconMail size={18} aria-hidden />}>
          We sent a link to {sentTo}. Open it to create your organization.
        </Alert>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title="Create an organization" lead="Get your own limits and API keys, and see your usage.">
      <SignUpForm onSent={setSentTo} />
      {signIn}
    </SignInFrame>
  );
}
