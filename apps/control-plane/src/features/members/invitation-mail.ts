import type { NoticeMail, NoticeRow } from '../notices/index.js';
import { placeholder } from './invitation-links.js';

/** What an invitation's notice holds. */
interface InvitationFacts {
  email: string;
  role: string;
  to: string;
  by: string;
  expiresAt: string;
  sealed: { token: string };
}

const KINDS: readonly string[] = ['member.invited', 'operator.invited', 'signup.requested'];

/** The mail to whoever is invited; its link is filled in when it is sent, so that no dump of the database lets anybody in. */
export function invitationMailsOf({ id, kind, tenantId, data }: NoticeRow): NoticeMail[] {
  if (!KINDS.includes(kind)) return [];
  const { email, role, to, by, expiresAt, sealed } = data as unknown as InvitationFacts;
  const isSignUp = kind === 'signup.requested';
  const subject = isSignUp ? `Confirm your address for ${to}` : `${by} invites you to ${to}`;
  const body = [
    isSignUp
      ? `Somebody, probably you, wants to use Tollgate as ${to}.`
      : `${by} invites you to ${to}, as ${role.toLowerCase().replaceAll('_', ' ')}.`,
    '',
    isSignUp ? 'Confirm your address:' : 'Accept:',
    placeholder(sealed.token),
    '',
    `The link works once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC. If you did not expect it, do nothing.`,
    '',
  ].join('\n');
  return [{ tenantId, noticeId: id, recipient: email, subject, body }];
}
