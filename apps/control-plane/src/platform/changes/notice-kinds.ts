import type { MemberRole, OperatorRole } from '@tollgate/database';

export interface NoticeKindFacts {
  severity: 'info' | 'warning' | 'critical';
  /** For the console. `{name}` is replaced by a field of the notice's data. */
  title: string;
  /** Subject of mails to members; the title by default. */
  memberSubject?: string;
  members: readonly MemberRole[];
  operators: readonly OperatorRole[];
  isEvent: boolean;
}

const OWNERS = ['OWNER'] as const;
const BUYERS = ['OWNER', 'BUYER'] as const;
const DEVELOPERS = ['OWNER', 'DEVELOPER'] as const;

const facts = (
  severity: NoticeKindFacts['severity'],
  title: string,
  { members = [], operators = [], isEvent = true, memberSubject }: Partial<NoticeKindFacts> = {},
): NoticeKindFacts => ({
  severity,
  title,
  members,
  operators,
  isEvent,
  ...(memberSubject === undefined ? {} : { memberSubject }),
});

/** Kinds of notices. The name is also the type of the webhook event and must not change. */
export const NOTICE_KINDS = {
  'limit.near': facts('warning', 'Limit {limit} on {api}: {percent}% used', {
    members: DEVELOPERS,
    memberSubject: "You've used {percent}% of your {limit} limit on {api}",
  }),
  'limit.reached': facts('critical', 'Limit {limit} on {api} reached', {
    members: DEVELOPERS,
    memberSubject: "You've reached your {limit} limit on {api}",
  }),
  'purchase.paid': facts('info', 'Payment received: {offer}', { members: BUYERS }),
  'purchase.renewed': facts('info', 'Renewed: {offer}', {
    members: BUYERS,
    memberSubject: 'Your {offer} was renewed',
  }),
  'purchase.payment_failed': facts('critical', 'Payment failed: {offer}', {
    members: BUYERS,
    memberSubject: 'Your payment for {offer} failed',
  }),
  'purchase.renewal_failed': facts('critical', 'Renewal payment failed: {offer}', {
    members: BUYERS,
    operators: ['BILLING'],
    memberSubject: 'Your payment for {offer} failed',
  }),
  'purchase.expired': facts('warning', 'Expired: {offer}', {
    members: BUYERS,
    memberSubject: 'Your {offer} has expired',
  }),
  'purchase.refunded': facts('info', 'Refunded: {offer}', {
    members: BUYERS,
    memberSubject: 'Your payment for {offer} was refunded',
  }),
  'purchase.refund_failed': facts('critical', 'Refund failed: {offer}', {
    operators: ['OWNER', 'BILLING'],
  }),
  'purchase.disputed': facts('critical', 'Payment disputed: {offer}', {
    operators: ['OWNER', 'BILLING'],
  }),
  'purchase.needs_review': facts('critical', 'Payment needs review: {offer}', {
    operators: ['OWNER', 'BILLING'],
  }),
  'payment.needs_review': facts('critical', 'Payment event from {provider} needs review: {problem}', {
    operators: ['OWNER', 'BILLING'],
    isEvent: false,
  }),
  'purchase.stop_failed': facts('critical', 'Cancellation of {offer} pending at the provider: {error}', {
    operators: ['OWNER', 'BILLING'],
  }),
  'topup.expiring': facts('warning', 'Top-up expires soon: {offer}', {
    members: BUYERS,
    memberSubject: 'Your top-up {offer} expires soon',
  }),
  'auto_topup.cap_reached': facts('warning', 'Auto top-up of {limit} on {api} reached its cap', {
    members: BUYERS,
    memberSubject: 'Your auto top-up of {limit} on {api} reached its cap',
  }),
  'auto_topup.paused': facts('warning', 'Auto top-up of {limit} on {api} paused: {problem}', {
    members: BUYERS,
    memberSubject: 'Your auto top-up of {limit} on {api} is paused',
  }),
  'auto_topup.failed': facts('critical', 'Payment failed, auto top-up of {limit} on {api} turned off', {
    members: BUYERS,
    memberSubject: 'Your payment failed: auto top-up of {limit} on {api} is off',
  }),
  'auto_topup.turned_off': facts('info', 'Auto top-up of {limit} on {api} turned off', {
    members: BUYERS,
    memberSubject: 'Your auto top-up of {limit} on {api} was turned off',
  }),
  'override.hides_purchase': facts('warning', 'An override of {tenant} makes {purchases} ineffective', {
    operators: ['LIMITS_ADMIN', 'BILLING'],
    isEvent: false,
  }),
  'override.expired': facts('info', 'An override of {tenant} expired', { operators: ['LIMITS_ADMIN'] }),
  'boost.ended': facts('info', 'A boost of {tenant} ended', {
    members: DEVELOPERS,
    memberSubject: 'Your boost has ended',
  }),
  'quota_request.created': facts('info', '{tenant} requested a higher limit on {api}', {
    operators: ['LIMITS_ADMIN'],
  }),
  'quota_request.approved': facts('info', 'Request for a higher limit on {api} approved', {
    members: OWNERS,
    memberSubject: 'Your request for a higher limit on {api} was approved',
  }),
  'quota_request.countered': facts('info', 'Counter-offer sent for a higher limit on {api}', {
    members: OWNERS,
    memberSubject: 'You have a counter-offer for a higher limit on {api}',
  }),
  'quota_request.declined': facts('info', 'Request for a higher limit on {api} declined', {
    members: OWNERS,
    memberSubject: 'Your request for a higher limit on {api} was declined',
  }),
  'quota_request.accepted': facts('info', '{tenant} accepted the counter-offer', {
    operators: ['LIMITS_ADMIN'],
  }),
  'quota_request.withdrawn': facts('info', '{tenant} withdrew its request for a higher limit on {api}'),
  'subscription.moved': facts('info', 'Tier {tier} changed to version {version}', {
    members: DEVELOPERS,
    memberSubject: 'Your limits have changed: {tier} version {version}',
  }),
  'member.invited': facts('info', '{email} was invited', { isEvent: false }),
  'operator.invited': facts('info', '{email} was invited as an operator', { isEvent: false }),
  'signup.requested': facts('info', '{email} requested to sign up as {to}', { isEvent: false }),
  'member.joined': facts('info', '{email} joined', { isEvent: false }),
  'account.password_reset_requested': facts('info', 'Password reset requested for {email}', {
    isEvent: false,
  }),
  'account.password_changed': facts('info', 'Password of {email} changed', { isEvent: false }),
  'account.password_reset': facts('info', 'Password of {email} reset', { isEvent: false }),
  'account.two_factor_enabled': facts('info', 'Two-factor authentication of {email} turned on', {
    isEvent: false,
  }),
  'account.two_factor_disabled': facts('warning', 'Two-factor authentication of {email} turned off', {
    isEvent: false,
  }),
  'account.recovery_codes_regenerated': facts('info', 'Recovery codes of {email} replaced', {
    isEvent: false,
  }),
  'account.recovery_code_used': facts('warning', 'Recovery code of {email} used', { isEvent: false }),
  'account.passkey_added': facts('info', 'Passkey of {email} added', { isEvent: false }),
  'account.passkey_removed': facts('info', 'Passkey of {email} removed', { isEvent: false }),
  'api_key.expiring': facts('warning', 'API key {name} expires soon', {
    members: DEVELOPERS,
    memberSubject: 'Your API key {name} expires soon',
  }),
  'guard.reverted': facts(
    'critical',
    'Guard reverted {tier} version {version}: denials rose by {rise} percentage points',
    { operators: ['OWNER', 'LIMITS_ADMIN'] },
  ),
  'guard.undecided': facts('warning', 'Guard of {tier} version {version} ended undecided: {problem}', {
    operators: ['OWNER', 'LIMITS_ADMIN'],
  }),
  'node.stale': facts('critical', 'Node {nodeId} stopped reporting', {
    operators: ['OWNER', 'LIMITS_ADMIN'],
  }),
  'audit.broken': facts(
    'critical',
    'Audit log of {chain} failed verification at entry {sequence}: {problem}',
    {
      operators: ['OWNER', 'AUDITOR'],
      isEvent: false,
    },
  ),
  'webhook.disabled': facts('warning', 'Webhook endpoint {host} disabled', {
    members: DEVELOPERS,
    operators: ['OWNER'],
    isEvent: false,
    memberSubject: 'Your webhook endpoint {host} was disabled',
  }),
} as const satisfies Record<string, NoticeKindFacts>;

export type NoticeKind = keyof typeof NOTICE_KINDS;
