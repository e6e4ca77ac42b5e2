import type { NoticeKindFacts } from '../../../platform/changes/notice-kinds.js';
import { detailsOf, factsOf, titleOf } from './notice-text.js';
import type { NoticeRow, Recipient } from './notices.repository.js';

/** A mail that a notice becomes. */
export interface NoticeMail {
  tenantId: string | null;
  noticeId: string;
  /** Whose link the sender appends to the body. */
  invitationId?: string;
  /** Whose password-reset link the sender makes and appends to the body. */
  resetUserId?: string;
  recipient: string;
  subject: string;
  body: string;
}

/** An event that a notice becomes: the exact text that is signed and sent. */
export interface NoticeEvent {
  noticeId: string;
  tenantId: string | null;
  event: string;
  body: string;
}

/** Where mails are about: what their times are told by, and where to look further. */
export interface MailSetting {
  /** The tenant's. */
  timeZone: string;
  consoleUrl: string;
}

/** Whom a notice is mailed to, each address once. */
export function mailsOf(
  notice: NoticeRow,
  recipients: readonly Recipient[],
  { timeZone, consoleUrl }: MailSetting,
): NoticeMail[] {
  const facts = factsOf(notice.kind);
  const data = notice.data as Record<string, unknown>;
  const addresses = new Set(
    recipients.filter((one) => isMeant(one, notice, facts)).map(({ email }) => email),
  );
  const subject = titleOf(notice.kind, data);
  const about = notice.tenantKey === null ? [] : [`Tenant: ${notice.tenantKey}`];
  const body = [
    `${subject}.`,
    '',
    // The tenant may be a field of the notice too.
    ...new Set([...about, ...detailsOf(data, timeZone)]),
    '',
    `Open the console: ${consoleUrl}`,
    '',
  ].join('\n');
  const { id: noticeId, tenantId } = notice;
  return [...addresses].map((recipient) => ({ tenantId, noticeId, recipient, subject, body }));
}

/** What endpoints are sent; undefined for a kind that stays inside. */
export function eventOf({
  id,
  kind,
  tenantId,
  tenantKey,
  data,
  createdAt,
}: NoticeRow): NoticeEvent | undefined {
  if (!factsOf(kind).isEvent) return undefined;
  const fields = { ...(tenantKey === null ? {} : { tenant: tenantKey }), ...(data as object) };
  const body = JSON.stringify({ type: kind, timestamp: createdAt.toISOString(), data: fields });
  return { noticeId: id, tenantId, event: kind, body };
}

function isMeant(recipient: Recipient, notice: NoticeRow, facts: NoticeKindFacts): boolean {
  const roles: readonly string[] = recipient.tenantId === null ? facts.operators : facts.members;
  const isOf = recipient.tenantId === null || recipient.tenantId === notice.tenantId;
  return isOf && roles.includes(recipient.role);
}
