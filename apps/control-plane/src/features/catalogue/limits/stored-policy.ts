import { type LimitPolicy, limitPolicySchema, type PolicyOf } from '@tollgate/contracts';
import type { LimitRow } from '../../../platform/prisma/schema.js';

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
