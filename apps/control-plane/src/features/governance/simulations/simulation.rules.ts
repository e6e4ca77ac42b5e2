import type { Catalogue, TenantRecord } from '@tollgate/contracts';
import type { ReplayPolicy, ReplayResult } from '@tollgate/replay';
import type { StoredOfferEffect } from '../../commerce/index.js';

/** The policy of a draft, as far as it differs from the present one. */
export interface SimulationDraft {
  readonly catalogueText: string;
  /** Records that differ. */
  readonly tenants: readonly TenantRecord[];
}

/** A stored result. */
export interface SimulationOutcome extends ReplayResult {
  /** Minutes per entry of `minutes`. */
  readonly stepMinutes: number;
  /** Limits, `api/name`, whose window is too long for the recording. */
  readonly notWarm: readonly string[];
}

/** The most entries of a series. */
const MAX_STEPS = 360;

/** Joins minutes to at most {@link MAX_STEPS} entries, which start at multiples of their length. */
export function withSteps(result: ReplayResult, notWarm: readonly string[]): SimulationOutcome {
  const { minutes } = result;
  const [first, last] = [minutes[0]?.atMs ?? 0, minutes.at(-1)?.atMs ?? 0];
  const stepMinutes = Math.max(1, Math.ceil(((last - first) / 60_000 + 1) / MAX_STEPS));
  const stepMs = stepMinutes * 60_000;
  const steps = Map.groupBy(minutes, ({ atMs }) => Math.floor(atMs / stepMs) * stepMs);
  const sum = (field: 'decisions' | 'baselineDenied' | 'draftDenied', of: typeof minutes) =>
    of.reduce((total, minute) => total + minute[field], 0);
  const joined = [...steps].map(([atMs, of]) => ({
    atMs,
    decisions: sum('decisions', of),
    baselineDenied: sum('baselineDenied', of),
    draftDenied: sum('draftDenied', of),
  }));
  return { ...result, minutes: joined, stepMinutes, notWarm };
}

/** A top-up on sale. */
export interface SoldUnits {
  key: string;
  priceMinor: bigint;
  currency: string;
  effects: readonly StoredOfferEffect[];
}

export interface DeniedCost {
  currency: string;
  amountMinor: number;
  /** Units with a price in the currency. */
  units: number;
  /** Keys of the top-ups whose prices were used. */
  offerKeys: string[];
}

/**
 * Price of denied units at most, by currency: each at the highest price of a unit among the top-ups that add units to
 * its quota. Other limits sell no units.
 */
export function deniedCosts(
  denied: ReplayResult['deniedUnits'],
  topUps: readonly SoldUnits[],
): { costs: DeniedCost[]; unpricedUnits: number } {
  const costs = new Map<string, DeniedCost & { exact: bigint }>();
  let unpricedUnits = 0;
  for (const { api, limit, isQuota, units } of denied) {
    const offers = isQuota ? topUps.flatMap((offer) => unitPrices(offer, api, limit)) : [];
    if (offers.length === 0) unpricedUnits += units;
    for (const [currency, own] of Map.groupBy(offers, (offer) => offer.currency)) {
      const dearest = own.reduce((a, b) => (b.priceMinor * a.units > a.priceMinor * b.units ? b : a));
      const cost = costs.get(currency) ?? { currency, amountMinor: 0, units: 0, offerKeys: [], exact: 0n };
      const charged = BigInt(units) * dearest.priceMinor;
      cost.exact += (charged + dearest.units - 1n) / dearest.units;
      cost.units += units;
      if (!cost.offerKeys.includes(dearest.key)) cost.offerKeys.push(dearest.key);
      costs.set(currency, cost);
    }
  }
  return {
    costs: [...costs.values()].map(({ exact, ...cost }) => ({ ...cost, amountMinor: Number(exact) })),
    unpricedUnits,
  };
}

function unitPrices({ key, priceMinor, currency, effects }: SoldUnits, api: string, limit: string) {
  return effects.flatMap(({ effect, appliesTo = 'quota', ...scope }) => {
    const isSold = (scope.api ?? api) === api && (scope.limit ?? limit) === limit && appliesTo === 'quota';
    if (effect.kind !== 'add' || !isSold) return [];
    return [{ key, priceMinor, currency, units: BigInt(effect.units) }];
  });
}

/** Whether a limit of the policies counts all tenants together, so that they have to be replayed together. */
export function hasGlobalLimit(policies: readonly ReplayPolicy[]): boolean {
  return policies.some(({ catalogueText }) =>
    (JSON.parse(catalogueText) as Catalogue).tiers.some(({ versions }) =>
      versions.some(({ limits }) => limits.some(({ per }) => per[0] === 'global')),
    ),
  );
}

/** Splits tenants into groups that are replayed together, to need few reads of the database and little memory. */
export function groupsOf<T extends { decisions: number }>(tenants: readonly T[], most: number): T[][] {
  const groups: T[][] = [];
  let [group, decisions] = [[] as T[], 0];
  for (const tenant of tenants) {
    if (group.length > 0 && decisions + tenant.decisions > most) {
      groups.push(group);
      [group, decisions] = [[], 0];
    }
    group.push(tenant);
    decisions += tenant.decisions;
  }
  return group.length === 0 ? groups : [...groups, group];
}
