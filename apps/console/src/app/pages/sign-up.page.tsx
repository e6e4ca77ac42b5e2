import { Alert } from '@mantine/core';
import { IconMail, IconMailOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { LinkAnchor } from '../../components/link.js';
import { signUpOpenQuery } from '../../features/joining/api/joining.js';
import { SignUpForm } from '../../features/joining/components/sign-up-form.js';
import { Door } from './door.js';
import classes from './sign-in.module.css';

/** Where a customer makes an organisation, if whoever runs this service allows it. */
export function SignUpPage() {
  const t = useTranslations('joining');
  const { data: isOpen } = useQuery(signUpOpenQuery);
  const [sentTo, setSentTo] = useState<string>();
  const signIn = (
    <p className={classes.hint}>
      {t('have')} <LinkAnchor to="/sign-in">{t('signIn')}</LinkAnchor>
    </p>
  );
  if (isOpen === false) {
    return (
      <Door title={t('closedTitle')}>
        <Alert color="ochre" mt="sm" icon={<IconMailOff size={18} aria-hidden />}>
          {t('closed')}
        </Alert>
        {signIn}
      </Door>
    );
  }
  if (sentTo !== undefined) {
    return (
      <Door title={t('checkMail')}>
        <Alert role="status" color="gate" mt="sm" icon={<IconMail size={18} aria-hidden />}>
          {t('checkMailHint', { email: sentTo })}
        </Alert>
      </Door>
    );
  }
  return (
    <Door title={t('signUp')} lead={t('signUpLead')}>
      <SignUpForm onSent={setSentTo} />
      {signIn}
    </Door>
  );
}
