import {
  type LimitPolicy,
  limitPolicySchema,
  RULE_FIELDS,
  type Rule,
  type RuleField,
  TERM_MODES,
  type TermName,
} from '@tollgate/contracts';
import { LimitOrigin, type LimitRow } from '../../../platform/prisma/schema.js';
import { type Limit, type LimitRule, upper } from './limits.graphql.js';

export type PolicyRow = Omit<LimitRow, 'tierVersionId' | 'origin'> & { api: { key: string } };

/** @throws Error for a row that is not a valid policy: only a manual edit of the database writes one. */
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

type RuleFields = { [F in RuleField]: Extract<Rule, Record<F, unknown>>[F] };

/** The columns of a policy; fields without a column are in `terms`. */
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

/** A limit in its GraphQL form, with the policy that it is made from. */
export interface LimitRecord extends Omit<Limit, 'summary'> {
  tierVersionId: string;
  apiId: string;
  policy: LimitPolicy;
}

/** A default limit of an API in its GraphQL form. */
export type DefaultLimitRecord = Omit<LimitRecord, 'tierVersionId'>;

/** @throws Error for a row that is not a valid policy */
export function toLimitRecord(row: LimitRow & { api: { key: string } }): LimitRecord {
  return { ...toRecord(row), tierVersionId: row.tierVersionId, origin: row.origin };
}

/** @throws Error for a row that is not a valid policy */
export function toDefaultLimitRecord(row: PolicyRow): DefaultLimitRecord {
  return { ...toRecord(row), origin: LimitOrigin.DEFAULT };
}

/** The limit with the numbers that are in effect for one tenant. */
export function withPolicy(record: LimitRecord, policy: LimitPolicy): LimitRecord {
  return policy === record.policy ? record : { ...record, policy, ...graphqlFields(policy) };
}

function toRecord(row: PolicyRow): Omit<LimitRecord, 'tierVersionId' | 'origin'> {
  const policy = readPolicy(row);
  const { name, api: apiKey, operations, per } = policy;
  return {
    ...{ id: row.id, apiId: row.apiId, policy },
    ...{ name, apiKey, operations, per, onUnavailable: row.onUnavailable },
    ...graphqlFields(policy),
  };
}

function graphqlFields(policy: LimitPolicy) {
  const { charge = 'always', onMissing = 'shared', candidate, inHeaders = true } = policy;
  const { storage = 'key', expectedSubjects = null, penalty = null, rolloverPercent = null } = policy;
  const { warmUp = null, alsoApis = [], ipv4Prefix = null, ipv6Prefix = null, amounts = null } = policy;
  return {
    ...ruleFields(policy),
    throttle: termFields('throttle', policy.throttle),
    enforcement: termFields('enforcement', policy.enforcement),
    consistency: termFields('consistency', policy.consistency),
    charge: upper(charge),
    attemptTimeoutMs: policy.attemptTimeoutMs ?? null,
    deadlineMs: policy.deadlineMs ?? null,
    onMissing: upper(onMissing),
    candidate: candidate === undefined ? null : ruleFields(candidate),
    alsoApis,
    ipv4Prefix,
    ipv6Prefix,
    amounts: amounts && { ...amounts, others: amounts.others ?? null },
    storage: upper(storage),
    expectedSubjects,
    penalty,
    rolloverPercent,
    warmUp,
    sharedWithChildren: policy.sharedWithChildren ?? false,
    inHeaders,
  };
}

/** All fields of the table; null where the algorithm has no such field. */
function ruleFields(rule: Rule | LimitPolicy): LimitRule {
  const values = Object.entries(RULE_FIELDS).map(([name, field]) => {
    const value = (rule as Record<string, unknown>)[name] ?? null;
    return [name, 'choices' in field && value !== null ? String(value).toUpperCase() : value];
  });
  return { algorithm: upper(rule.algorithm), limit: rule.limit, ...Object.fromEntries(values) };
}

/** The mode, the first one by default, and all fields of the term; null where the mode has no such field. */
function termFields<T extends TermName>(term: T, value: LimitPolicy[T]): Limit[T] {
  const modes = Object.entries<object>(TERM_MODES[term]);
  const fields = modes.flatMap(([, fields]) => Object.keys(fields)).map((field) => [field, null]);
  const mode = (value?.mode ?? modes[0]?.[0] ?? '').toUpperCase();
  return { ...Object.fromEntries(fields), ...value, mode } as Limit[T];
}
