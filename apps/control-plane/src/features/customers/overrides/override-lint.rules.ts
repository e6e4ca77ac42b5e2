import { type Adjustment, concerns, resolveLimit } from '@tollgate/contracts';
import { findHiddenPurchases } from '../entitlements/purchase-effects.rules.js';
import { type TenantSituation } from '../tenants/tenant-views.js';
import type { OverrideLintCode } from './override-lint.graphql.js';

/** A tenant's limits from its tier, and the adjustments in effect. */
export type TenantLimits = Pick<TenantSituation, 'stored' | 'inForce' | 'adjustments'>;

export interface OverrideProblem {
  code: OverrideLintCode;
  message: string;
  advice: string;
}

/**
 * Why an override or boost has no effect, or which adjustments it hides; undefined: neither.
 * @param limits undefined: the tenant is on no version, so nothing is known of its limits
 */
export function findOverrideProblem(
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
  if (!isUseless) return findHiding(adjustment, limits, others);
  const message = `Without it, ${placeOf(adjustment)} would be the same.`;
  return { code: 'CHANGES_NOTHING', message, advice: 'Remove it, or choose another number.' };
}

function findHiding(
  adjustment: Adjustment,
  limits: TenantLimits,
  others: readonly Adjustment[],
): OverrideProblem | undefined {
  if (adjustment.source !== 'override') return undefined;
  const hidden = findHiddenPurchases(limits, others, adjustment);
  if (hidden.length === 0) return undefined;
  const message = `The tenant has "${hidden.join('", "')}", which has no effect because of this override.`;
  const advice = 'Raise or remove the override, or refund the purchase.';
  return { code: 'HIDES_PURCHASE', message, advice };
}

function placeOf({ api, limit, appliesTo }: Adjustment): string {
  const kind = appliesTo === undefined ? '' : appliesTo === 'quota' ? ' (quotas)' : ' (rates)';
  return `${limit === undefined ? 'every limit' : `limit "${limit}"`} of ${api === undefined ? 'every API' : `API "${api}"`}${kind}`;
}
