import {
  type Adjustment,
  type AdjustmentEffect,
  concerns,
  type LimitPolicy,
  resolveLimit,
} from '@tollgate/contracts';
import { periodAt } from '@tollgate/limiter/algorithms';

/** Targets and effect of a grant. */
export interface GrantEffect {
  api?: string | undefined;
  limit?: string | undefined;
  appliesTo?: 'rate' | 'quota' | undefined;
  effect: AdjustmentEffect;
}

interface TimedEffect extends GrantEffect {
  endsAt: Date;
  /** Null: the units are available in each period. */
  unitsExpireAt: Date | null;
}

interface Calendar {
  timeZone: string;
  billingAnchorDay: number;
}

/**
 * Splits the effects of a top-up so that units added to monthly quotas are used once: their grant ends with the period, on
 * nodes and without the control plane, and what is unused is granted again. Quotas of shorter periods, and quotas that count
 * apart for users or others, have the units in each period.
 * @param limits the tenant's limits, without adjustments
 */
export function splitTopUp(
  effects: readonly GrantEffect[],
  limits: readonly LimitPolicy[],
  calendar: Calendar,
  startsAt: Date,
  endsAt: Date,
): TimedEffect[] {
  const inEachPeriod = (part: GrantEffect): TimedEffect => ({ ...part, endsAt, unitsExpireAt: null });
  return effects.flatMap((part) => {
    const concerned = limits.filter((policy) => concerns({ ...part, id: '', source: 'topup' }, policy));
    if (part.effect.kind !== 'add' || !concerned.some(isMonthly)) return [inEachPeriod(part)];
    const quotas = concerned.filter(({ algorithm }) => algorithm === 'quota');
    const named = quotas.map((policy): TimedEffect => {
      const { api, name: limit } = policy;
      const quota = { api, limit, effect: part.effect };
      if (!isMonthly(policy)) return inEachPeriod(quota);
      const { timeZone, billingAnchorDay } = calendar;
      const { endMs } = periodAt(policy.period, timeZone, billingAnchorDay, startsAt.getTime());
      return { ...quota, endsAt: new Date(Math.min(endMs, endsAt.getTime())), unitsExpireAt: endsAt };
    });
    const hasRates = concerned.length > quotas.length;
    return hasRates ? [inEachPeriod({ ...part, appliesTo: 'rate' }), ...named] : named;
  });
}

type Quota = Extract<LimitPolicy, { algorithm: 'quota' }>;

/** Whether units that a top-up adds to the limit are used once. */
export function isMonthly(policy: LimitPolicy): policy is Quota {
  if (policy.algorithm !== 'quota' || policy.per.length > 0) return false;
  return policy.period === 'month' || policy.period === 'billing';
}

/** Whether the quota's period that ends at `end` began at `at` or later. */
export function beganSince({ period }: Quota, calendar: Calendar, end: Date, at: Date): boolean {
  const { timeZone, billingAnchorDay } = calendar;
  return periodAt(period, timeZone, billingAnchorDay, end.getTime() - 1).startMs >= at.getTime();
}

interface TopUp {
  id: string;
  units: number;
  /** Unix ms. */
  expiresAtMs: number;
}

/** A quota's limit and the units that it consists of. */
export interface QuotaUnits {
  /** The effective limit. */
  limit: number;
  /** The effective limit without rolled-over units and top-ups. */
  base: number;
  rolledOver: number;
  topUps: readonly TopUp[];
}

export interface BurnDown {
  rolledOver: number;
  plan: number;
  /** In the order in which they are used. */
  topUps: {
    id: string;
    /** Unused units that the effective limit contains; a block or an own ceiling can hide a top-up. */
    remaining: number;
    /** Units that were not used, hidden ones included. */
    unused: number;
  }[];
}

/**
 * Assigns the used units of a period: to rolled-over units, then the plan, then top-ups in the order of their expiry and age.
 * What remains adds up to the effective limit without the used units, and is never below 0.
 */
export function burnDown({ limit, base, rolledOver, topUps }: QuotaUnits, used: number): BurnDown {
  let raised = Math.max(0, limit - base);
  const fitting = (units: number) => {
    const fits = Math.min(units, raised);
    raised -= fits;
    return fits;
  };
  const carried = fitting(rolledOver);
  const inOrder = [...topUps].sort((a, b) => a.expiresAtMs - b.expiresAtMs || (a.id < b.id ? -1 : 1));
  const usable = inOrder.map((topUp) => ({ ...topUp, usable: fitting(topUp.units) }));
  const plan = limit - carried - usable.reduce((sum, one) => sum + one.usable, 0);
  let left = used;
  const burn = (units: number) => {
    const burnt = Math.min(units, left);
    left -= burnt;
    return units - burnt;
  };
  return {
    rolledOver: burn(carried),
    plan: burn(plan),
    topUps: usable.map(({ id, units, usable: most }) => {
      const remaining = burn(most);
      return { id, remaining, unused: units - (most - remaining) };
    }),
  };
}

interface Units {
  cause: string;
  unitsExpireAt: Date | null;
}

/** @param units top-ups of monthly quotas and rolled-over units, by the id of their adjustment */
export function unitsOf(
  policy: LimitPolicy,
  inForce: readonly Adjustment[],
  units: ReadonlyMap<string, Units>,
): QuotaUnits {
  const counted = inForce.flatMap((one) => {
    const row = units.get(one.id);
    if (row === undefined || one.effect.kind !== 'add' || !concerns(one, policy)) return [];
    return [{ id: one.id, units: one.effect.units, ...row }];
  });
  const others = inForce.filter(({ id }) => !units.has(id));
  return {
    limit: resolveLimit(policy, inForce).policy.limit,
    base: resolveLimit(policy, others).policy.limit,
    rolledOver: counted
      .filter(({ unitsExpireAt }) => unitsExpireAt === null)
      .reduce((sum, one) => sum + one.units, 0),
    topUps: counted.flatMap(({ id, units: added, unitsExpireAt }) =>
      unitsExpireAt === null ? [] : [{ id, units: added, expiresAtMs: unitsExpireAt.getTime() }],
    ),
  };
}
