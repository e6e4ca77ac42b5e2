import { type LimitPolicy, limitPolicySchema, type PolicyOf, type Rule } from '@tollgate/contracts';
import { LimitOrigin, type LimitRow } from '../../../platform/prisma/schema.js';
import { type LimitInput } from './limit.inputs.js';
import { type Limit, type LimitRule } from './limits.graphql.js';

/** What some algorithms have and some have not. */
export interface RuleFields {
  windowMs: number;
  alignment: PolicyOf<'fixed_window'>['alignment'];
  buckets: number;
  capacity: number;
  refill: PolicyOf<'token_bucket'>['refill'];
  queue: number;
  burst: number;
  leaseMs: number;
  period: PolicyOf<'quota'>['period'];
}

/** A row that holds a policy, with the key of its API. */
export type PolicyRow = Omit<LimitRow, 'tierVersionId' | 'origin'> & { api: { key: string } };

/** @throws Error for a row that holds no policy: nothing but a hand in the database writes one. */
export function readPolicy(row: PolicyRow): LimitPolicy {
  const parsed = limitPolicySchema.safeParse({
    name: row.name,
    api: row.api.key,
    operations: row.operations,
    per: row.per,
    algorithm: row.algorithm.toLowerCase(),
    limit: Number(row.limitMax),
    onUnavailable: row.onUnavailable.toLowerCase(),
    ...(row.windowMs === null ? {} : { windowMs: Number(row.windowMs) }),
    ...(row.burst === null ? {} : { burst: Number(row.burst) }),
    ...(row.alignment === null ? {} : { alignment: row.alignment.toLowerCase() }),
    ...(row.terms as object),
  });
  if (parsed.success) return parsed.data;
  throw new Error(`Limit ${row.id} holds no policy`, { cause: parsed.error });
}

/** A policy as columns; what has no column of its own is in `terms`. */
export function toPolicyColumns(policy: LimitPolicy) {
  const { name, api: _api, operations, per, algorithm, limit, onUnavailable, ...rest } = policy;
  const { windowMs = null, burst = null, alignment, ...terms } = rest as Partial<RuleFields>;
  return {
    name,
    operations,
    per,
    algorithm: upper(algorithm),
    limitMax: limit,
    windowMs,
    burst,
    alignment: alignment === undefined ? null : upper(alignment),
    onUnavailable: upper(onUnavailable),
    terms,
  };
}

/** A word as enums of the database and of GraphQL have it. */
export function upper<T extends string>(word: T): Uppercase<T> {
  return word.toUpperCase() as Uppercase<T>;
}

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
