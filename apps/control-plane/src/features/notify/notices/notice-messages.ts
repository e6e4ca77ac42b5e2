import { readFields } from '@tollgate/contracts';
import { NOTICE_KINDS, type NoticeKindFacts } from '../../../platform/changes/notice-kinds.js';
import { withoutLinks } from '../../../platform/text.js';
import type { NoticeRow, Recipient } from './notices.repository.js';

const UNKNOWN: NoticeKindFacts = { severity: 'info', title: '', members: [], operators: [], isEvent: false };

const MAX_VALUE_LENGTH = 200;

/** A kind of another version has only its name. */
export function factsOf(kind: string): NoticeKindFacts {
  return kind in NOTICE_KINDS ? NOTICE_KINDS[kind as keyof typeof NOTICE_KINDS] : { ...UNKNOWN, title: kind };
}

export const EVENT_KINDS: readonly string[] = Object.entries(NOTICE_KINDS)
  .filter(([, facts]) => facts.isEvent)
  .map(([kind]) => kind);

/** Missing fields are omitted. */
export function titleOf(kind: string, data: Record<string, unknown>): string {
  return fill(factsOf(kind).title, data);
}

function fill(template: string, data: Record<string, unknown>): string {
  return template
    .replace(/\{(\w+)\}/g, (_, name: string) => textOf(data[name]))
    .replace(/\s+/g, ' ')
    .trim();
}

/** One line per field: `Paid through: 1 Dec 2026, 00:00 UTC`. */
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

export interface NoticeMail {
  tenantId: string | null;
  noticeId: string;
  /** The sender appends the link of this invitation. */
  invitationId?: string;
  /** The sender appends a password reset link of this user. */
  resetUserId?: string;
  recipient: string;
  subject: string;
  body: string;
}

/** `body` is the exact text that is signed and sent. */
export interface NoticeEvent {
  noticeId: string;
  tenantId: string | null;
  event: string;
  body: string;
}

export interface MailSetting {
  timeZone: string;
  consoleUrl: string;
}

/** Linked pages by the first part of the kind: text, page of members, page of operators. */
const PAGES: Readonly<Record<string, readonly [label: string, portal: string, console: string]>> = {
  limit: ['View usage', '/usage', '/tenants/{tenant}/usage'],
  purchase: ['View purchases', '/receipts', '/purchases'],
  payment: ['View purchases', '/receipts', '/purchases'],
  auto_topup: ['View auto top-up', '', '/tenants/{tenant}/purchases'],
  topup: ['View purchases', '/receipts', '/tenants/{tenant}/purchases'],
  override: ['View overrides', '', '/tenants/{tenant}/exceptions'],
  boost: ['View limits', '', '/tenants/{tenant}/exceptions'],
  subscription: ['View limits', '', '/tenants/{tenant}'],
  quota_request: ['View request', '/requests', '/quota-requests'],
  api_key: ['View API keys', '/keys', '/tenants/{tenant}/keys'],
  guard: ['View tier', '', '/tiers/{tier}'],
  node: ['View nodes', '', '/nodes'],
  audit: ['View audit trail', '', '/audit'],
  webhook: ['View webhook endpoints', '', '/webhooks'],
};

/** One mail per address. Members and operators receive different subjects and links. */
export function mailsOf(
  notice: NoticeRow,
  recipients: readonly Recipient[],
  { timeZone, consoleUrl }: MailSetting,
): NoticeMail[] {
  const { id: noticeId, kind, tenantId, tenantKey } = notice;
  const facts = factsOf(kind);
  const data = notice.data as Record<string, unknown>;
  const tenant = tenantKey === null ? [] : [`Tenant: ${tenantKey}`];
  const details = [...new Set([...tenant, ...detailsOf(data, timeZone)])];
  const [label, portal, console] = PAGES[kind.split('.')[0] ?? ''] ?? ['Open the console', '', '/notices'];
  const toMail = (recipient: string, subject: string, path: string): NoticeMail => {
    const said = withoutLinks(subject);
    const lines = [`${said}.`, '', ...details.map(withoutLinks), '', `${label}: ${consoleUrl}${path}`, ''];
    return { tenantId, noticeId, recipient, subject: said, body: lines.join('\n') };
  };
  const mails = new Map<string, NoticeMail>();
  for (const recipient of recipients) {
    const { email } = recipient;
    if (mails.has(email) || !isRecipient(recipient, notice, facts)) continue;
    const isOperator = recipient.tenantId === null;
    const template = isOperator ? facts.title : (facts.memberSubject ?? facts.title);
    const path = isOperator
      ? fill(console, { tenant: tenantKey ?? data.tenant, tier: data.tier })
      : `/portal/${tenantKey}${portal}`;
    mails.set(email, toMail(email, fill(template, data), path));
  }
  return [...mails.values()];
}

/** Undefined for kinds that are not sent. */
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

function isRecipient(recipient: Recipient, notice: NoticeRow, facts: NoticeKindFacts): boolean {
  const roles: readonly string[] = recipient.tenantId === null ? facts.operators : facts.members;
  const isOwn = recipient.tenantId === null || recipient.tenantId === notice.tenantId;
  return isOwn && roles.includes(recipient.role);
}
