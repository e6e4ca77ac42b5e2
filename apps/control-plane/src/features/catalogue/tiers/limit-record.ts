import type { LimitPolicy, Rule } from '@tollgate/contracts';
import { LimitOrigin, type LimitRow } from '../../../platform/prisma/schema.js';
import { type PolicyRow, type RuleFields, readPolicy, upper } from '../limits/stored-policy.js';
import type { LimitInput } from './limit-input.graphql.js';
import type { Limit, LimitRule } from './limits.graphql.js';

/** A limit as GraphQL shows it, with the policy that it is made from. */
export interface LimitRecord extends Omit<Limit, 'summary'> {
  tierVersionId: string;
  apiId: string;
  policy: LimitPolicy;
}

/** A default limit of an API as GraphQL shows it. */
export type DefaultLimitRecord = Omit<LimitRecord, 'tierVersionId'>;

/** @throws Error for a row that holds no policy: nothing but a hand in the database writes one. */
export function toLimitRecord(row: LimitRow & { api: { key: string } }): LimitRecord {
  return { ...show(row), tierVersionId: row.tierVersionId, origin: row.origin };
}

/** @throws Error for a row that holds no policy: nothing but a hand in the database writes one. */
export function toDefaultLimitRecord(row: PolicyRow): DefaultLimitRecord {
  return { ...show(row), origin: LimitOrigin.DEFAULT };
}

function show(row: PolicyRow): Omit<LimitRecord, 'tierVersionId' | 'origin'> {
  const policy = readPolicy(row);
  return {
    id: row.id,
    apiId: row.apiId,
    policy,
    name: policy.name,
    apiKey: policy.api,
    operations: policy.operations,
    per: policy.per,
    onUnavailable: row.onUnavailable,
    ...shown(policy),
  };
}

function shown(policy: LimitPolicy) {
  const { throttle, enforcement, charge, consistency, candidate, onMissing, inHeaders = true } = policy;
  return {
    ...showRule(policy),
    throttle: { ...NO_THROTTLE, ...throttle, mode: upper(throttle?.mode ?? 'hard') },
    enforcement: { percent: null, ...enforcement, mode: upper(enforcement?.mode ?? 'enforce') },
    charge: upper(charge ?? 'always'),
    attemptTimeoutMs: policy.attemptTimeoutMs ?? null,
    deadlineMs: policy.deadlineMs ?? null,
    onMissing: upper(onMissing ?? 'shared'),
    consistency: { leaseMs: null, ...consistency, mode: upper(consistency?.mode ?? 'strict') },
    candidate: candidate === undefined ? null : showRule(candidate),
    inHeaders,
  };
}

/** A policy as mutations take it. */
export function toLimitInput(policy: LimitPolicy): LimitInput {
  const { name, api, operations, per, onUnavailable } = policy;
  return { name, apiKey: api, operations, per, onUnavailable: upper(onUnavailable), ...shown(policy) };
}

/** The limit with other numbers, as it applies to one tenant. */
export function withPolicy(record: LimitRecord, policy: LimitPolicy): LimitRecord {
  return policy === record.policy ? record : { ...record, policy, ...shown(policy) };
}

/** The limit as nodes, summaries and counters read it. */
export function policyOf(record: LimitRecord): LimitPolicy {
  return record.policy;
}

const NO_THROTTLE = { percent: null, maxPercent: null, pool: null, maxDelayMs: null };

function showRule(rule: Rule | LimitPolicy): LimitRule {
  const given = rule as Partial<RuleFields>;
  const { windowMs, alignment, buckets, capacity, refill, queue, burst, leaseMs, period } = given;
  return {
    algorithm: upper(rule.algorithm),
    limit: rule.limit,
    windowMs: windowMs ?? null,
    alignment: alignment === undefined ? null : upper(alignment),
    buckets: buckets ?? null,
    capacity: capacity ?? null,
    refill: refill === undefined ? null : upper(refill),
    queue: queue ?? null,
    burst: burst ?? null,
    leaseMs: leaseMs ?? null,
    period: period === undefined ? null : upper(period),
  };
}
