import { Alert } from '@mantine/core';
import { IconMail, IconMailOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LinkAnchor } from '../../components/link.js';
import { signUpOpenQuery } from '../../features/joining/api/joining.js';
import { SignUpForm } from '../../features/joining/components/sign-up-form.js';
import { Door } from './door.js';
import classes from './sign-in.module.css';

/** Where a customer makes an organisation, if whoever runs this service allows it. */
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
      <Door title="Sign-up is closed">
        <Alert color="ochre" mt="sm" icon={<IconMailOff size={18} aria-hidden />}>
          Ask the operator of this service for an invitation.
        </Alert>
        {signIn}
      </Door>
    );
  }
  if (sentTo !== undefined) {
    return (
      <Door title="Check your email">
        <Alert role="status" color="gate" mt="sm" icon={<IconMail size={18} aria-hidden />}>
          We sent a link to {sentTo}. Open it to create your organisation.
        </Alert>
      </Door>
    );
  }
  return (
    <Door title="Create an organisation" lead="Get your own limits and API keys, and see your usage.">
      <SignUpForm onSent={setSentTo} />
      {signIn}
    </Door>
  );
}
