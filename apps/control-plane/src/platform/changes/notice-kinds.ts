import type { MemberRole, OperatorRole } from '@tollgate/database';

export interface NoticeKindFacts {
  severity: 'info' | 'warning' | 'critical';
  /** What people read first; `{name}` stands for the field of the notice's data. */
  title: string;
  /** Members of the tenant who get a mail. */
  members: readonly MemberRole[];
  /** Operators who get a mail. */
  operators: readonly OperatorRole[];
  /** Whether it goes to endpoints of outgoing events too. */
  isEvent: boolean;
}

const OWNERS = ['OWNER'] as const;
const BUYERS = ['OWNER', 'BUYER'] as const;
const DEVELOPERS = ['OWNER', 'DEVELOPER'] as const;

const facts = (
  severity: NoticeKindFacts['severity'],
  title: string,
  to: { members?: readonly MemberRole[]; operators?: readonly OperatorRole[]; isEvent?: boolean } = {},
): NoticeKindFacts => ({
  severity,
  title,
  members: to.members ?? [],
  operators: to.operators ?? [],
  isEvent: to.isEvent ?? true,
});

/** Everything that people are told of. The name is the type of the outgoing event too, and never changes. */
export const NOTICE_KINDS = {
  'limit.near': facts('warning', 'Limit {limit} of {api} is at {percent} %', { members: DEVELOPERS }),
  'limit.reached': facts('critical', 'Limit {limit} of {api} is reached', { members: DEVELOPERS }),
  'purchase.paid': facts('info', 'Paid: {offer}', { members: BUYERS }),
  'purchase.renewed': facts('info', 'Renewed: {offer}', { members: BUYERS }),
  'purchase.renewal_failed': facts('critical', 'The renewal of {offer} could not be paid', {
    members: BUYERS,
    operators: ['BILLING'],
  }),
  'purchase.ended': facts('warning', 'Ended: {offer}', { members: BUYERS }),
  'purchase.refunded': facts('info', 'Refunded: {offer}', { members: BUYERS }),
  'purchase.disputed': facts('critical', 'The payment of {offer} is disputed', {
    operators: ['OWNER', 'BILLING'],
  }),
  'purchase.held': facts('critical', 'A payment for {offer} does not match its order', {
    operators: ['OWNER', 'BILLING'],
  }),
  'payment.needs_review': facts('critical', 'An event from {provider} could not be booked: {problem}', {
    operators: ['OWNER', 'BILLING'],
    isEvent: false,
  }),
  'purchase.stop_failed': facts('critical', 'The provider of {offer} does not stop charging: {error}', {
    operators: ['OWNER', 'BILLING'],
  }),
  'topup.expiring': facts('warning', 'The top-up {offer} ends soon', { members: BUYERS }),
  'override.hides_purchase': facts('warning', 'An override of {tenant} makes {purchases} ineffective', {
    operators: ['LIMITS_ADMIN', 'BILLING'],
    isEvent: false,
  }),
  'override.expired': facts('info', 'An override of {tenant} has ended', { operators: ['LIMITS_ADMIN'] }),
  'boost.ended': facts('info', 'A boost of {tenant} has ended', { members: DEVELOPERS }),
  'quota_request.created': facts('info', '{tenant} asks for more of {api}', { operators: ['LIMITS_ADMIN'] }),
  'quota_request.approved': facts('info', 'Your request for more of {api} is approved', { members: OWNERS }),
  'quota_request.countered': facts('info', 'Your request for more of {api} has a counter-offer', {
    members: OWNERS,
  }),
  'quota_request.declined': facts('info', 'Your request for more of {api} is declined', { members: OWNERS }),
  'quota_request.accepted': facts('info', '{tenant} accepts the counter-offer', {
    operators: ['LIMITS_ADMIN'],
  }),
  'quota_request.withdrawn': facts('info', '{tenant} does not ask for more of {api} any more'),
  'subscription.moved': facts('info', 'Now on version {version} of {tier}', { members: DEVELOPERS }),
  'member.invited': facts('info', '{email} was invited', { isEvent: false }),
  'operator.invited': facts('info', '{email} was invited as an operator', { isEvent: false }),
  'signup.requested': facts('info', '{email} wants to sign up as {to}', { isEvent: false }),
  'member.joined': facts('info', '{email} has joined', { isEvent: false }),
  'account.password_reset_requested': facts('info', 'A password reset was requested for {email}', {
    isEvent: false,
  }),
  'account.password_changed': facts('info', 'The password of {email} was changed', { isEvent: false }),
  'account.password_reset': facts('info', 'The password of {email} was reset', { isEvent: false }),
  'account.two_factor_enabled': facts('info', 'Two-factor authentication of {email} was turned on', {
    isEvent: false,
  }),
  'account.two_factor_disabled': facts('warning', 'Two-factor authentication of {email} was turned off', {
    isEvent: false,
  }),
  'account.recovery_codes_regenerated': facts('info', 'New recovery codes were made for {email}', {
    isEvent: false,
  }),
  'account.recovery_code_used': facts('warning', 'A recovery code of {email} was used', { isEvent: false }),
  'account.passkey_added': facts('info', 'A passkey of {email} was added', { isEvent: false }),
  'account.passkey_removed': facts('info', 'A passkey of {email} was removed', { isEvent: false }),
  'api_key.expiring': facts('warning', 'The API key {name} ends soon', { members: DEVELOPERS }),
  'node.stale': facts('critical', 'Node {nodeId} does not report any more', {
    operators: ['OWNER', 'LIMITS_ADMIN'],
  }),
  'audit.broken': facts('critical', 'The audit trail of {chain} does not hold at {sequence}: {problem}', {
    operators: ['OWNER', 'AUDITOR'],
    isEvent: false,
  }),
  'webhook.disabled': facts('warning', 'Events to {host} are not sent any more', {
    members: DEVELOPERS,
    operators: ['OWNER'],
    isEvent: false,
  }),
} as const satisfies Record<string, NoticeKindFacts>;

export type NoticeKind = keyof typeof NOTICE_KINDS;
