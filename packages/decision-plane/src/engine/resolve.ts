import { type FieldError, type LimitRequest, type TenantRecord, TollgateError } from '@tollgate/contracts';
import type { TierPolicy } from '../policy/catalogue.js';
import type { CompiledLimit } from '../policy/compile.js';
import type { Check } from '../store/decision-store.js';
import { counterKey, dimensionValue } from '../store/keys.js';

/** What a request has to be decided by. `checks[i]` is the counter of `limits[i]`. */
export type Resolution =
  | { kind: 'blocked' }
  | { kind: 'no_limit'; cost: number }
  | { kind: 'limited'; cost: number; limits: readonly CompiledLimit[]; checks: readonly Check[] };

/**
 * Finds the limits of a request and the counters that they use.
 *
 * @throws TollgateError `dimension-missing` or `dimension-invalid`, naming every value that a limit needs: counting
 * such a request under a shared name, or not at all, would both be wrong silently.
 */
export function resolve(policy: TierPolicy, tenant: TenantRecord, request: LimitRequest): Resolution {
  if (tenant.status === 'suspended') return { kind: 'blocked' };
  const operation = policy.operation(request.api, request.operation);
  if (operation === undefined) {
    return policy.refusesUnknown(request.api)
      ? { kind: 'blocked' }
      : { kind: 'no_limit', cost: request.cost ?? 1 };
  }
  const cost = request.cost ?? operation.cost;
  const { limits } = operation;
  if (limits.length === 0) return { kind: 'no_limit', cost };
  const checks = limits.map((limit) => ({
    key: counterKey(tenant.tenant, limit.keyStem, valuesOf(limit, request)),
    policy: limit.policy,
    cost,
  }));
  return { kind: 'limited', cost, limits, checks };
}

const NO_VALUES: readonly string[] = [];

function valuesOf(limit: CompiledLimit, request: LimitRequest): readonly string[] {
  if (limit.stored.per.length === 0) return NO_VALUES;
  return limit.stored.per.map((dimension) => {
    const value = request.subject?.[dimension];
    if (value === undefined) throw dimensionErrors('dimension-missing', limit, request);
    const written = dimensionValue(dimension, value);
    if (written === undefined) throw dimensionErrors('dimension-invalid', limit, request);
    return written;
  });
}

function dimensionErrors(
  code: 'dimension-missing' | 'dimension-invalid',
  limit: CompiledLimit,
  request: LimitRequest,
): TollgateError {
  const errors = limit.stored.per.flatMap((dimension): FieldError[] => {
    const value = request.subject?.[dimension];
    const field = `subject.${dimension}`;
    if (value === undefined)
      return [{ field, message: `limit ${limit.stored.name} counts by ${dimension}; send it` }];
    if (dimensionValue(dimension, value) !== undefined) return [];
    return [{ field, message: `limit ${limit.stored.name} counts by ${dimension}; this is not one` }];
  });
  return new TollgateError(code, { errors });
}
