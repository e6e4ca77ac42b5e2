import { type NoticeMail, type NoticeRow } from '../../notify/index.js';

/** The data of an invitation's notice. */
interface InvitationFacts {
  invitationId: string;
  email: string;
  role: string;
  to: string;
  by: string;
  expiresAt: string;
}

const KINDS: readonly string[] = ['member.invited', 'operator.invited', 'signup.requested'];

/**
 * The mail to an invited address, without its link: `MailSender` appends that below the text when it sends the mail, so that
 * no stored text contains it.
 */
export function invitationMailsOf({ id, kind, tenantId, data }: NoticeRow): NoticeMail[] {
  if (!KINDS.includes(kind)) return [];
  const { invitationId, email, role, to, by, expiresAt } = data as unknown as InvitationFacts;
  const isSignUp = kind === 'signup.requested';
  const subject = isSignUp ? `Confirm your address for ${to}` : `${by} invites you to ${to}`;
  const until = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  const body = [
    isSignUp
      ? `Somebody, probably you, wants to use Tollgate as ${to}.`
      : `${by} invites you to ${to}, as ${role.toLowerCase().replaceAll('_', ' ')}.`,
    '',
    `To ${isSignUp ? 'confirm your address' : 'accept'}, open the link below. It works once, until ${until}.`,
    'If you did not expect this mail, ignore it.',
    '',
  ].join('\n');
  return [{ tenantId, noticeId: id, invitationId, recipient: email, subject, body }];
}
