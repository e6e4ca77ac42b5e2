import { type FieldError, type LimitRequest, type TenantRecord, TollgateError } from '@tollgate/contracts';
import type { EffectiveLimit, LimitMode } from '../policy/effective-limit.js';
import type { OperationPolicy, TierPolicy } from '../policy/tier-policy.js';
import type { Check } from '../store/decision-store.js';
import { hashText } from '../store/hash-text.js';
import { counterKey, dimensionValue, globalTag, overflowKey } from '../store/keys.js';

/** A limit as one request meets it. */
export interface Applied {
  readonly limit: EffectiveLimit;
  readonly mode: LimitMode;
  readonly check: Check;
}

/** What a request has to be decided by. */
export type Resolution =
  | { kind: 'blocked' }
  | { kind: 'no_limit'; cost: number }
  | { kind: 'limited'; cost: number; operation: OperationPolicy; applied: readonly Applied[] };

/**
 * Says whether a tenant may have a counter of this key: `KeyBudget.admit` takes note of it, `KeyBudget.isAdmitted` only
 * looks.
 */
export type AdmitKey = (tenant: string, key: string, nowMs: number) => boolean;

/**
 * Finds the limits of a request and the counters that they use.
 *
 * @param admitKey where it says no, the limit's overflow counter is used
 * @throws TollgateError `dimension-missing` or `dimension-invalid`, naming every value that a limit needs: counting
 * such a request under a shared name, or not at all, would both be wrong silently.
 */
export function resolve(
  policy: TierPolicy,
  tenant: TenantRecord,
  request: LimitRequest,
  nowMs: number,
  admitKey: AdmitKey,
): Resolution {
  if (tenant.status === 'suspended') return { kind: 'blocked' };
  const operation = policy.operation(request.api, request.operation);
  if (operation === undefined) {
    return policy.refusesUnknown(request.api)
      ? { kind: 'blocked' }
      : { kind: 'no_limit', cost: request.cost ?? 1 };
  }
  const cost = request.cost ?? operation.cost;
  const { limits } = operation;
  if (limits.length === 0 && operation.pool === undefined) return { kind: 'no_limit', cost };
  const applied: Applied[] = [];
  for (const limit of limits) applied.push(applyLimit(limit, tenant.tenant, request, cost, nowMs, admitKey));
  return { kind: 'limited', cost, operation, applied };
}

function applyLimit(
  limit: EffectiveLimit,
  tenant: string,
  request: LimitRequest,
  cost: number,
  nowMs: number,
  admitKey: AdmitKey,
): Applied {
  const tag = limit.isGlobal ? globalTag(request.api) : tenant;
  const ownKey = counterKey(tag, limit.keyStem, valuesOf(limit, request));
  const isShared = limit.dimensions.length > 0 && !admitKey(tenant, ownKey, nowMs);
  const key = isShared ? overflowKey(tag, limit.keyStem) : ownKey;
  // By its own key also beyond the budget: by the shared one, a limit would be enforced for all of them or for none.
  const mode = modeOf(limit, ownKey);
  // A slot is a slot, whatever the request costs.
  const units = limit.kind === 'concurrency' ? 1 : cost;
  return { limit, mode, check: { key, policy: limit.policy(nowMs, mode), cost: units } };
}

const NO_VALUES: readonly string[] = [];

function valuesOf(limit: EffectiveLimit, request: LimitRequest): readonly string[] {
  if (limit.dimensions.length === 0) return NO_VALUES;
  return limit.dimensions.map((dimension) => {
    const value = sentValue(request, dimension);
    if (value === undefined) throw dimensionErrors('dimension-missing', limit, request);
    const written = dimensionValue(dimension, value);
    if (written === undefined) throw dimensionErrors('dimension-invalid', limit, request);
    return written;
  });
}

// A dimension may be called `constructor`, which every object has.
function sentValue({ subject }: LimitRequest, dimension: string): string | undefined {
  return subject !== undefined && Object.hasOwn(subject, dimension) ? subject[dimension] : undefined;
}

function modeOf({ candidate, stored: { enforcement } }: EffectiveLimit, key: string): LimitMode {
  if (candidate) return 'candidate';
  if (enforcement === undefined || enforcement.mode === 'enforce') return 'enforce';
  if (enforcement.mode === 'shadow') return 'shadow';
  // Always the same for a key: a counter does not change sides between two requests.
  return hashText(key) % 100 < enforcement.percent ? 'enforce' : 'shadow';
}

function dimensionErrors(
  code: 'dimension-missing' | 'dimension-invalid',
  limit: EffectiveLimit,
  request: LimitRequest,
): TollgateError {
  const errors = limit.dimensions.flatMap((dimension): FieldError[] => {
    const value = sentValue(request, dimension);
    const field = `subject.${dimension}`;
    if (value === undefined)
      return [{ field, message: `limit ${limit.stored.name} counts by ${dimension}; send it` }];
    if (dimensionValue(dimension, value) !== undefined) return [];
    return [{ field, message: `limit ${limit.stored.name} counts by ${dimension}; this is not one` }];
  });
  return new TollgateError(code, { errors });
}
