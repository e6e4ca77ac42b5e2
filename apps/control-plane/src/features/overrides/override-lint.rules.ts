import { type Adjustment, concerns, type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import type { OverrideLintCode } from './override-lint.graphql.js';

/** What a tenant has of its tier, and what changes that now. */
export interface TenantLimits {
  stored: readonly { policy: LimitPolicy }[];
  inForce: readonly Adjustment[];
}

export interface OverrideProblem {
  code: OverrideLintCode;
  message: string;
  advice: string;
}

/**
 * Why an override or boost does nothing; undefined: it does something, or will.
 * @param limits undefined: the tenant is on no version, so nothing is known of its limits
 */
export function findUseless(
  { adjustment, endsAt }: { adjustment: Adjustment; endsAt: Date | null },
  limits: TenantLimits | undefined,
  now: Date,
): OverrideProblem | undefined {
  if (endsAt !== null && endsAt <= now) {
    const message = `It ended at ${endsAt.toISOString()} and does nothing any more.`;
    return { code: 'EXPIRED', message, advice: 'Take it out where it is kept, or set it again.' };
  }
  if (limits === undefined) return undefined;
  const concerned = limits.stored.filter(({ policy }) => concerns(adjustment, policy));
  if (concerned.length === 0) {
    const message = `The tenant has no limit that it is for: ${placeOf(adjustment)}.`;
    return { code: 'NEVER_APPLIES', message, advice: 'Remove it, or set one for a limit of its tier.' };
  }
  const others = limits.inForce.filter(({ id }) => id !== adjustment.id);
  const isUseless = concerned.every(({ policy }) => {
    const [without, together] = [resolveLimit(policy, others), resolveLimit(policy, [...others, adjustment])];
    return JSON.stringify(without.policy) === JSON.stringify(together.policy);
  });
  if (!isUseless) return undefined;
  const message = `Without it, ${placeOf(adjustment)} would be the same.`;
  return { code: 'CHANGES_NOTHING', message, advice: 'Remove it, or choose another number.' };
}

function placeOf({ api, limit, appliesTo }: Adjustment): string {
  const kind = appliesTo === undefined ? '' : appliesTo === 'quota' ? ' (quotas)' : ' (rates)';
  return `${limit === undefined ? 'every limit' : `limit "${limit}"`} of ${api === undefined ? 'every API' : `API "${api}"`}${kind}`;
}
