import { readFields as readFieldsIn } from '@tollgate/contracts/format';
import { readersZone } from './time-format.js';

/** Scalar values of a record as text, by readable field name; times are in the reader's zone. */
export const readFields = (record: unknown): Map<string, string> => readFieldsIn(record, readersZone());

const MAX_VALUES = 4;

const ACTIONS: Readonly<Record<string, string>> = {
  'alertThresholds.change': 'changed alert thresholds',
  'api.create': 'created an API',
  'api.defaultLimitsSet': 'set the default limits of an API',
  'api.delete': 'deleted an API',
  'api.update': 'changed an API',
  'apiKey.create': 'created an API key',
  'apiKey.revoke': 'revoked an API key',
  'apiKey.rotate': 'rotated an API key',
  'billingDetails.set': 'changed billing details',
  'boost.end': 'ended a boost',
  'boost.start': 'started a boost',
  'own_limit.remove': 'removed the own limit',
  'own_limit.set': 'lowered the own limit',
  'spend_cap.set': 'set the spend cap',
  'changeSet.addItem': 'added an item to a change set',
  'changeSet.apply': 'applied a change set',
  'changeSet.approve': 'approved a change set',
  'changeSet.create': 'created a change set',
  'changeSet.submit': 'submitted a change set',
  'entitlement.end': 'revoked an entitlement',
  'entitlement.grant': 'granted an entitlement',
  'installation.update': 'changed company and brand',
  'invitation.create': 'sent an invitation',
  'job.remove': 'removed a failed job',
  'job.retry': 'retried a job',
  'jobQueue.pause': 'paused a queue of jobs',
  'jobQueue.resume': 'resumed a queue of jobs',
  'member.add': 'added a member',
  'member.remove': 'removed a member',
  'node.retire': 'retired a node',
  'operation.create': 'added an operation',
  'operation.delete': 'deleted an operation',
  'operation.update': 'changed an operation',
  'operator.create': 'added an operator',
  'operator.remove': 'removed an operator',
  'operator.roleChange': 'changed an operator’s role',
  'operator.suspend': 'suspended an operator',
  'override.remove': 'removed an override',
  'override.set': 'set an override',
  'policy.rollback': 'rolled back the policy',
  'pool.create': 'created a pool',
  'pool.delete': 'deleted a pool',
  'pool.update': 'changed a pool',
  'purchase.start': 'started a purchase',
  'purchase.paid': 'received a payment',
  'quotaRequest.approve': 'approved a quota request',
  'quotaRequest.counter': 'made a counteroffer',
  'quotaRequest.create': 'requested a higher limit',
  'quotaRequest.decline': 'declined a quota request',
  'serviceToken.create': 'created a service token',
  'serviceToken.revoke': 'revoked a service token',
  'serviceToken.rotate': 'rotated a service token',
  'tenant.archive': 'archived the tenant',
  'tenant.create': 'created the tenant',
  'tenant.resume': 'resumed the tenant',
  'tenant.suspend': 'suspended the tenant',
  'tenant.tierChange': 'changed the tier',
  'tenant.update': 'changed the tenant',
  'testRequest.send': 'sent test requests',
  'tier.archive': 'archived a tier',
  'tier.create': 'created a tier',
  'tier.draftDiscard': 'discarded a draft',
  'tier.draftSave': 'saved a draft',
  'tier.publish': 'published a tier',
  'tier.update': 'changed a tier',
  'webhookEndpoint.create': 'created a webhook endpoint',
  'webhookEndpoint.disable': 'disabled a webhook endpoint',
};

/** An action in words; unknown actions read as their names: `tier.publish` as `tier publish`. */
export function describeAction(action: string): string {
  return (
    ACTIONS[action] ??
    action
      .replace(/[._-]/g, ' ')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
  );
}

export const KNOWN_ACTIONS: readonly string[] = Object.keys(ACTIONS);

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
