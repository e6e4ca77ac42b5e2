import { readFields } from '@tollgate/contracts';
import { NOTICE_KINDS, type NoticeKindFacts } from '../../../platform/changes/notice-kinds.js';
import type { NoticeRow, Recipient } from './notices.repository.js';

const UNKNOWN: NoticeKindFacts = { severity: 'info', title: '', members: [], operators: [], isEvent: false };

const MAX_VALUE_LENGTH = 200;

/** What is known of a kind; of one that an earlier version wrote and this one does not know, next to nothing. */
export function factsOf(kind: string): NoticeKindFacts {
  return kind in NOTICE_KINDS ? NOTICE_KINDS[kind as keyof typeof NOTICE_KINDS] : { ...UNKNOWN, title: kind };
}

/** The kinds that go to endpoints of outgoing events. */
export const EVENT_KINDS: readonly string[] = Object.entries(NOTICE_KINDS)
  .filter(([, facts]) => facts.isEvent)
  .map(([kind]) => kind);

/** A notice in one line. A field that its data lacks is left out. */
export function titleOf(kind: string, data: Record<string, unknown>): string {
  return factsOf(kind)
    .title.replace(/\{(\w+)\}/g, (_, name: string) => textOf(data[name]))
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a notice holds, a line for each field, times by the clock of the zone: `Paid through: 1 Dec 2026, 00:00 UTC`. */
export function detailsOf(data: unknown, timeZone: string): string[] {
  return [...readFields(data, timeZone)].map(
    ([name, text]) => `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${text.slice(0, MAX_VALUE_LENGTH)}`,
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_VALUE_LENGTH);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '';
}

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
