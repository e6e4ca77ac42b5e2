import { withoutLinks } from '../../../platform/text.js';
import type { NoticeMail, NoticeRow } from '../../notify/index.js';

interface AccountFacts {
  email: string;
  /** Set for a password reset. */
  userId?: string;
  /** The operator who made the change, if not the account's owner. */
  by?: string;
}

const RESET_KIND = 'account.password_reset_requested';

interface MailText {
  subject: string;
  sentence: string;
  /** The step that a password reset leaves open: it ends sessions and passkeys only. */
  afterReset?: string;
}

const TEXTS: Readonly<Record<string, MailText>> = {
  'account.password_changed': {
    subject: 'Your password was changed',
    sentence:
      'The password of your account was changed. All other sessions were signed out. Passkeys were not removed.',
  },
  'account.password_reset': {
    subject: 'Your password was reset',
    sentence:
      'The password of your account was reset with a link from an email. All sessions were signed out. All passkeys were removed.',
    afterReset: 'Change the password of your mailbox too: the link was opened from there.',
  },
  'account.two_factor_enabled': {
    subject: 'Two-factor authentication turned on',
    sentence: 'Signing in to your account now requires a code from your authenticator app.',
    afterReset: 'The reset does not turn off two-factor authentication. Ask an operator to do so.',
  },
  'account.two_factor_disabled': {
    subject: 'Two-factor authentication turned off',
    sentence: 'Signing in to your account no longer requires a second factor.',
    afterReset:
      'The reset does not turn two-factor authentication on again. Do so after it, in your account settings.',
  },
  'account.recovery_codes_regenerated': {
    subject: 'Your recovery codes were replaced',
    sentence: 'New recovery codes were generated for your account. The previous codes no longer work.',
    afterReset:
      'The reset does not replace recovery codes. Generate new ones after it, in your account settings.',
  },
  'account.recovery_code_used': {
    subject: 'A recovery code was used',
    sentence: 'A recovery code was used for your account.',
    afterReset:
      'The reset does not replace recovery codes. Generate new ones after it, in your account settings.',
  },
  'account.passkey_added': {
    subject: 'A passkey was added',
    sentence: 'A passkey was added to your account. It signs in without your password.',
  },
  'account.passkey_removed': {
    subject: 'A passkey was removed',
    sentence: 'A passkey was removed from your account.',
  },
};

/** `MailSender` appends the link of a password reset. */
export function accountMailsOf({ id, kind, data }: NoticeRow, consoleUrl: string): NoticeMail[] {
  const { email, userId, ...facts } = data as unknown as AccountFacts;
  const by = typeof facts.by === 'string' ? withoutLinks(facts.by) : undefined;
  const mail = { tenantId: null, noticeId: id, recipient: email };
  if (kind === RESET_KIND && userId !== undefined) {
    const body = [
      ...(by === undefined
        ? ['We received a request to reset the password of your account.']
        : [
            `${by} sent you a link to reset the password of your account.`,
            'All sessions were signed out. All passkeys were removed.',
          ]),
      '',
      'To choose a new password, open the link below. It expires in one hour and can be used once.',
      'The new password signs out all sessions and removes all passkeys.',
      'If you did not request this, you can ignore this email. Your password will not change.',
      '',
    ];
    return [{ ...mail, resetUserId: userId, subject: 'Reset your password', body: body.join('\n') }];
  }
  const text = TEXTS[kind];
  if (text === undefined) return [];
  const body = [
    text.sentence,
    ...(by === undefined
      ? []
      : [`Changed by: ${by}`, 'All sessions were signed out. All passkeys were removed.']),
    '',
    `If you did not do this, reset your password now: ${consoleUrl}/forgot-password`,
    'The reset signs out all sessions and removes all passkeys.',
    ...(text.afterReset === undefined ? [] : [text.afterReset]),
    '',
  ];
  return [{ ...mail, subject: text.subject, body: body.join('\n') }];
}
