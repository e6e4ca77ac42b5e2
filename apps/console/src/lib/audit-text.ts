import type { LinkProps } from '@tanstack/react-router';
import { AUDIT_ACTIONS, type AuditAction, type AuditEntity } from '@tollgate/contracts/audit-actions';
import { readFields as readFieldsIn } from '@tollgate/contracts/format';
import { readersZone } from './time-format.js';

/** Scalar values of a record as text, by readable field name; times are in the reader's zone. */
export const readFields = (record: unknown): Map<string, string> => readFieldsIn(record, readersZone());

const MAX_VALUES = 4;

/** Each action in words; `{}` is the name of its object. */
const ACTIONS: Readonly<Record<AuditAction, string>> = {
  'account.passwordChange': 'changed the password of {}',
  'account.passwordReset': 'reset the password of {}',
  'account.passwordResetRequest': 'requested a password reset for {}',
  'account.twoFactorEnable': 'turned on two-factor sign-in of {}',
  'account.twoFactorDisable': 'turned off two-factor sign-in of {}',
  'account.recoveryCodesRegenerate': 'regenerated the recovery codes of {}',
  'account.recoveryCodeUse': 'used a recovery code of {}',
  'account.passkeyAdd': 'added a passkey to {}',
  'account.passkeyRemove': 'removed a passkey from {}',
  'account.sessionsRevoke': 'ended other sessions of {}',
  'account.accessEnd': 'ended sessions and passkeys of {}',
  'account.sessionRevoke': 'ended the session at {}',
  'alertThresholds.change': 'changed the alert thresholds of {}',
  'alertThresholds.adopt': 'put the alert thresholds of {} under the configuration',
  'api.create': 'created the API {}',
  'api.update': 'changed the API {}',
  'api.adopt': 'put the API {} under the configuration',
  'api.delete': 'deleted the API {}',
  'api.defaultLimitsSet': 'set the default limits of {}',
  'apiKey.create': 'created the API key {}',
  'apiKey.rotate': 'rotated the API key {}',
  'apiKey.revoke': 'revoked the API key {}',
  'billingDetails.set': 'changed the billing details of {}',
  'boost.start': 'boosted {}',
  'boost.end': 'ended the boost of {}',
  'bulkAction.start': 'started the {}',
  'bulkAction.cancel': 'canceled the {}',
  'changeSet.create': 'created the change set {}',
  'changeSet.addItem': 'added a change to {}',
  'changeSet.removeItem': 'removed a change from {}',
  'changeSet.submit': 'submitted {} for review',
  'changeSet.approve': 'approved {}',
  'changeSet.reject': 'rejected {}',
  'changeSet.schedule': 'scheduled {}',
  'changeSet.cancel': 'canceled {}',
  'changeSet.fail': 'could not apply {}',
  'changeSet.apply': 'applied {}',
  'changeSet.refresh': 'renewed the review of {}',
  'changeSet.revert': 'created {} to revert a change set',
  'entitlement.grant': 'granted {}',
  'entitlement.end': 'ended {}',
  'installation.update': 'changed the details of {}',
  'invitation.create': 'invited {}',
  'invitation.resend': 'invited {} again',
  'invitation.revoke': 'revoked the invitation of {}',
  'job.retry': 'retried the job {}',
  'job.remove': 'removed the job {}',
  'jobQueue.pause': 'paused the queue {}',
  'jobQueue.resume': 'resumed the queue {}',
  'member.add': 'added {}',
  'member.join': 'added {} by invitation',
  'member.roleChange': 'changed the role of {}',
  'member.remove': 'removed {}',
  'node.retire': 'retired the node {}',
  'offer.create': 'created the offer {}',
  'offer.update': 'changed the offer {}',
  'offer.adopt': 'put the offer {} under the configuration',
  'offer.activate': 'put {} on sale',
  'offer.priceConfirm': 'confirmed the price of {}',
  'offer.archive': 'archived the offer {}',
  'operation.create': 'added the operation {}',
  'operation.update': 'changed the operation {}',
  'operation.delete': 'deleted the operation {}',
  'operator.join': 'added the operator {} by invitation',
  'operator.roleChange': 'changed the role of {}',
  'operator.suspend': 'suspended the operator {}',
  'operator.resume': 'resumed the operator {}',
  'operator.remove': 'removed the operator {}',
  'own_limit.set': 'lowered the own limit {}',
  'own_limit.remove': 'removed the own limit {}',
  'override.set': 'overrode {}',
  'override.adopt': 'put the override of {} under the configuration',
  'override.remove': 'removed the override of {}',
  'payment_event.needs_review': 'could not book the payment event {}',
  'payment_event.dismissed': 'dismissed the payment event {}',
  'policy.rollback': 'rolled back to {}',
  'pool.create': 'created the pool {}',
  'pool.update': 'changed the pool {}',
  'pool.delete': 'deleted the pool {}',
  'autoTopUp.set': 'turned on auto top-up of {}',
  'autoTopUp.turnOff': 'turned off auto top-up of {}',
  'autoTopUp.pause': 'paused auto top-up of {}',
  'autoTopUp.fail': 'could not charge auto top-up of {}',
  'purchase.start': 'ordered {}',
  'purchase.paid': 'received a payment for {}',
  'purchase.subscribed': 'set up renewals of {}',
  'purchase.processing': 'reported that the payment for {} is processing',
  'purchase.payment_failed': 'reported that the payment for {} failed',
  'purchase.renewal_failed': 'could not renew {}',
  'purchase.refunded': 'refunded {}',
  'purchase.refund_failed': 'could not refund {}',
  'purchase.disputed': 'opened a dispute about {}',
  'purchase.dispute_closed': 'closed a dispute about {}',
  'purchase.renewal_stopped': 'canceled the renewal of {}',
  'purchase.renewal_resumed': 'resumed the renewal of {}',
  'purchase.subscription_ended': 'ended the subscription of {}',
  'purchase.canceled': 'canceled the order of {}',
  'purchase.approved': 'approved the payment for {}',
  'purchase.rejected': 'rejected the payment for {}',
  'purchase.flagged': 'flagged the payment for {} for review',
  'purchase.stopFailed': 'could not cancel {} at the payment provider',
  'purchase.stopRetry': 'retried the cancellation of {} at the payment provider',
  'publicationGuard.end': 'ended the guard of {}',
  'publicationGuard.cancel': 'canceled the guard of {}',
  'quotaRequest.create': 'requested more of {}',
  'quotaRequest.approve': 'approved the request for {}',
  'quotaRequest.counter': 'made a counteroffer for {}',
  'quotaRequest.decline': 'declined the request for {}',
  'quotaRequest.accept': 'accepted the counteroffer for {}',
  'quotaRequest.withdraw': 'withdrew the request for {}',
  'serviceToken.create': 'created the service token {}',
  'serviceToken.rotate': 'rotated the service token {}',
  'serviceToken.revoke': 'revoked the service token {}',
  'subjectRule.set': 'set a rule for {}',
  'subjectRule.adopt': 'put the rule for {} under the configuration',
  'subjectRule.remove': 'removed the rule for {}',
  'tenant.create': 'created the tenant {}',
  'tenant.update': 'changed the tenant {}',
  'tenant.adopt': 'put the tenant {} under the configuration',
  'tenant.tierChange': 'changed the tier of {}',
  'tenant.floorsSet': 'changed the floors of {}',
  'tenant.suspend': 'suspended {}',
  'tenant.resume': 'resumed {}',
  'tenant.archive': 'archived the tenant {}',
  'tenant.versionFollow': 'moved {} to the published version',
  'testClock.advance': 'advanced the test clock of {}',
  'spend_cap.set': 'set the spend cap of {}',
  'testRequest.send': 'sent test requests for {}',
  'tier.create': 'created the tier {}',
  'tier.update': 'changed the tier {}',
  'tier.adopt': 'put the tier {} under the configuration',
  'tier.duplicate': 'created the tier {} as a copy',
  'tier.delete': 'deleted the tier {}',
  'tier.archive': 'archived the tier {}',
  'tier.restore': 'restored the tier {}',
  'tier.draftSave': 'saved a draft of {}',
  'tier.draftDiscard': 'discarded the draft of {}',
  'tier.publish': 'published {}',
  'tier.cohortExtend': 'expanded the rollout of {}',
  'tier.migrate': 'moved tenants to {}',
  'webhookEndpoint.create': 'created the webhook endpoint {}',
  'webhookEndpoint.update': 'changed the webhook endpoint {}',
  'webhookEndpoint.enable': 'enabled the webhook endpoint {}',
  'webhookEndpoint.disable': 'disabled the webhook endpoint {}',
  'webhookEndpoint.delete': 'deleted the webhook endpoint {}',
  'webhookEndpoint.secretRotate': 'rotated the secret of {}',
  'webhookEndpoint.test': 'sent a test event to {}',
  'webhookEndpoint.deliveryRetry': 'retried a delivery to {}',
};

const NOUNS: Readonly<Record<AuditEntity, string>> = {
  Api: 'an API',
  ApiKey: 'an API key',
  BillingDetails: 'a company',
  BulkAction: 'a bulk action',
  ChangeSet: 'a change set',
  DecisionNode: 'a node',
  Entitlement: 'an entitlement',
  Installation: 'the company',
  Invitation: 'a person',
  Job: 'a job',
  JobQueue: 'a queue',
  Member: 'a member',
  Offer: 'an offer',
  Operation: 'an operation',
  Operator: 'an operator',
  Override: 'a limit',
  PaymentEventReview: 'a payment event',
  Policy: 'a revision',
  Pool: 'a pool',
  PublicationGuard: 'a guard',
  AutoTopUp: 'an auto top-up',
  Purchase: 'a purchase',
  QuotaRequest: 'a limit',
  ServiceToken: 'a service token',
  Session: 'an address',
  SubjectRule: 'a subject',
  Tenant: 'a tenant',
  Tier: 'a tier',
  User: 'an account',
  WebhookEndpoint: 'a webhook endpoint',
};

export const KNOWN_ACTIONS = Object.keys(ACTIONS) as AuditAction[];

const isKnown = (action: string): action is AuditAction => action in ACTIONS;

/** An action without its object: `published a tier`; unknown actions read as their names. */
export function describeAction(action: string): string {
  if (isKnown(action)) {
    const noun = NOUNS[AUDIT_ACTIONS[action]];
    const [, word = ''] = / (.+)$/.exec(noun) ?? [];
    const text = ACTIONS[action];
    // `created the tier {}` and `created a tier` name the type once.
    return text.includes(`the ${word} {}`) ? text.replace(`the ${word} {}`, noun) : text.replace('{}', noun);
  }
  return action
    .replace(/[._-]/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

/** What names the object of an audit entry. */
export interface AuditSubject {
  action: string;
  entity: string;
  entityId: string;
  entityName?: string | null;
  entityKey?: string | null;
  revertedName?: string | null;
  tenantKey?: string | null;
  before?: unknown;
  after?: unknown;
}

export interface AuditSentence {
  /** Before the name of the object: `published`. */
  start: string;
  name: string;
  /** After it: `for review`. */
  end: string;
}

/** An entry in words; one that reverts another starts with it: `undid Free v2 → published`. */
export function describeEntry(entry: AuditSubject): AuditSentence {
  const name =
    entry.entityName ?? storedText(entry, ['name', 'title', 'label', 'email', 'key']) ?? entry.entityId;
  const text = isKnown(entry.action) ? ACTIONS[entry.action] : `${describeAction(entry.action)} {}`;
  const [start = '', end = ''] = text.split('{}');
  const undone = entry.revertedName === name ? 'a change' : entry.revertedName;
  return { start: `${undone ? `undid ${undone} → ` : ''}${start.trim()}`, name, end: end.trim() };
}

/** `published Free v3`. */
export function entryText(entry: AuditSubject): string {
  const { start, name, end } = describeEntry(entry);
  return [start, name, end].filter(Boolean).join(' ');
}

/** Entries of version 1 of the chain name their objects only in these values. */
function storedText({ before, after }: AuditSubject, fields: readonly string[]): string | undefined {
  for (const record of [after, before]) {
    if (typeof record !== 'object' || record === null) continue;
    for (const field of fields) {
      const value = (record as Record<string, unknown>)[field];
      if (typeof value === 'string' && value !== '') return value;
    }
  }
  return undefined;
}

/** The page of an entry's object, or of its list once it is deleted. */
export function auditLink(entry: AuditSubject): LinkProps {
  const { action, entity, entityId, tenantKey } = entry;
  const key = action.endsWith('.delete')
    ? undefined
    : (entry.entityKey ?? storedText(entry, ['apiKey', 'key']));
  const ofTenant = (page: 'alerts' | 'exceptions' | 'keys' | 'people' | 'purchases'): LinkProps =>
    tenantKey ? { to: `/tenants/$tenantKey/${page}`, params: { tenantKey } } : { to: '/team' };
  switch (entity as AuditEntity) {
    case 'Api':
      return key ? { to: '/apis/$apiKey', params: { apiKey: key } } : { to: '/apis' };
    case 'Operation':
    case 'Pool': {
      const apiKey = entry.entityKey ?? storedText(entry, ['apiKey']);
      return apiKey ? { to: '/apis/$apiKey', params: { apiKey } } : { to: '/apis' };
    }
    case 'Tier':
      return key ? { to: '/tiers/$tierKey', params: { tierKey: key } } : { to: '/tiers' };
    case 'Offer':
      return key ? { to: '/offers/$offerKey', params: { offerKey: key } } : { to: '/offers' };
    case 'ChangeSet':
      return { to: '/change-sets/$changeSetId', params: { changeSetId: entityId } };
    case 'Purchase':
      return { to: '/purchases/$purchaseId', params: { purchaseId: entityId } };
    case 'WebhookEndpoint':
      return action.endsWith('.delete')
        ? { to: '/webhooks' }
        : { to: '/webhooks/$endpointId', params: { endpointId: entityId } };
    case 'Tenant':
      if (action.startsWith('alertThresholds.')) return ofTenant('alerts');
      if (action === 'testClock.advance' || action === 'spend_cap.set') return ofTenant('purchases');
      return tenantKey ? { to: '/tenants/$tenantKey', params: { tenantKey } } : { to: '/tenants' };
    case 'AutoTopUp':
    case 'BillingDetails':
      return ofTenant('purchases');
    case 'ApiKey':
      return ofTenant('keys');
    case 'Member':
    case 'Invitation':
      return ofTenant('people');
    case 'Entitlement':
    case 'Override':
      return ofTenant('exceptions');
    case 'SubjectRule':
      return tenantKey ? ofTenant('exceptions') : { to: '/subject-rules' };
    case 'QuotaRequest':
      return { to: '/quota-requests' };
    case 'PaymentEventReview':
      return { to: '/purchases', search: { show: 'events' } };
    case 'BulkAction':
      return { to: '/tenants' };
    case 'DecisionNode':
      return { to: '/nodes' };
    case 'Job':
    case 'JobQueue':
      return { to: '/jobs' };
    case 'Policy':
      return { to: '/revisions' };
    case 'Installation':
      return { to: '/settings' };
    case 'ServiceToken':
      return { to: '/service-tokens' };
    case 'Session':
      return { to: '/account' };
    case 'Operator':
    case 'User':
      return { to: '/team' };
    default:
      return { to: '/audit', search: { entityId } };
  }
}

/** The first scalar values that differ between two records: `tier: free → pro`. */
export function describeChange(before: unknown, after: unknown): string {
  const [from, to] = [readFields(before), readFields(after)];
  const names = [...new Set([...from.keys(), ...to.keys()])].filter(
    (name) => from.get(name) !== to.get(name),
  );
  return names
    .slice(0, MAX_VALUES)
    .map((name) => {
      const [old, now] = [from.get(name), to.get(name)];
      if (old === undefined) return `${name}: ${now}`;
      return now === undefined ? `${name}: ${old} removed` : `${name}: ${old} → ${now}`;
    })
    .join(', ');
}
