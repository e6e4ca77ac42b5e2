import { type Adjustment, type LimitPolicy, resolveLimit } from '@tollgate/contracts';

/** What is left of a quota's period. Units. */
export interface Settlement {
  unused: number;
  /** The part of `unused` that the next period has in addition. */
  granted: number;
}

/**
 * Settles a quota's period. Units are used in the order in which they end: those of the period before, then the limit, then
 * top-ups. Only unused units of the limit roll over, so they never add up over several periods.
 * @param limit without top-ups and boosts
 * @param rolledOver units that the period had from the one before
 * @param used units counted in the period, those of top-ups and boosts included
 */
export function settle(limit: number, rolloverPercent: number, rolledOver: number, used: number): Settlement {
  const unused = Math.min(limit, Math.max(0, limit + rolledOver - used));
  const most = Number((BigInt(limit) * BigInt(rolloverPercent)) / 100n);
  return { unused, granted: Math.min(unused, most) };
}

/** The limit without top-ups and boosts. A warm-up counts: the tenant cannot leave units unused that it did not have. */
export function lastingLimit(policy: LimitPolicy, inForce: readonly Adjustment[]): number {
  const lasting = inForce.filter(({ source }) => source !== 'topup' && source !== 'boost');
  return resolveLimit(policy, lasting).policy.limit;
}
