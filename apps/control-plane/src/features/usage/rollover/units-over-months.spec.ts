import { type Adjustment, type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { burnDown, unitsOf } from '../../customers/index.js';
import { lastingLimit, settle } from './rollover.rules.js';

const quota: LimitPolicy = {
  ...{ name: 'monthly', api: 'shop', operations: [], per: [], onUnavailable: 'share' },
  ...{ algorithm: 'quota', period: 'month', limit: 100, rolloverPercent: 50 },
};
const LATER = new Date(Date.UTC(2040, 0, 1));

/** A tenant's quota over months, by the rules of the jobs that roll units over. */
class QuotaMonths {
  used = 0;
  rolledOver = 0;
  override: Adjustment['effect'] | undefined;
  packs = new Map<string, number>();

  buy(units: number): void {
    this.packs.set(`pack-${this.packs.size}`, units);
  }

  /** Uses up to `units`; returns how many were admitted. */
  use(units: number): number {
    const admitted = Math.max(0, Math.min(units, this.limit - this.used));
    this.used += admitted;
    return admitted;
  }

  get limit(): number {
    return resolveLimit(quota, this.adjustments).policy.limit;
  }

  /** The limit without units. */
  get plan(): number {
    return lastingLimit(quota, this.adjustments);
  }

  get left() {
    const rows = new Map<string, { cause: string; unitsExpireAt: Date | null }>();
    for (const id of this.packs.keys()) rows.set(id, { cause: 'PURCHASE', unitsExpireAt: LATER });
    rows.set('rolled', { cause: 'ROLLOVER', unitsExpireAt: null });
    return burnDown(unitsOf(quota, this.adjustments, rows), this.used);
  }

  get bought(): number {
    return [...this.packs.values()].reduce((a, b) => a + b, 0);
  }

  endMonth(): void {
    const { topUps } = this.left;
    const { granted } = settle(this.plan, quota.rolloverPercent ?? 0, this.rolledOver, this.used);
    this.rolledOver = granted;
    this.packs = new Map(topUps.filter(({ unused }) => unused > 0).map(({ id, unused }) => [id, unused]));
    this.used = 0;
  }

  private get adjustments(): Adjustment[] {
    const units = new Map(this.packs);
    if (this.rolledOver > 0) units.set('rolled', this.rolledOver);
    const added = [...units].map(
      ([id, count]): Adjustment => ({ id, source: 'topup', effect: { kind: 'add', units: count } }),
    );
    if (this.override === undefined) return added;
    return [...added, { id: 'o', source: 'override', api: 'shop', limit: 'monthly', effect: this.override }];
  }
}

describe('a quota with packs, rollover and an override', () => {
  it('has the numbers of docs/rules/effective-limits.md', () => {
    const months = new QuotaMonths();
    months.override = { kind: 'multiply', percent: 200 };
    months.use(20);
    months.endMonth();
    expect(months.limit).toBe(300);
    months.use(130);
    expect(months.left).toMatchObject({ rolledOver: 0, plan: 170 });
    months.endMonth();
    expect(months.limit).toBe(300);
    months.buy(50);
    months.use(320);
    expect([months.limit, months.left.topUps[0]?.remaining]).toEqual([350, 30]);
    months.endMonth();
    expect(months.limit).toBe(230);
  });

  it('shows a pack as used only after the plan: of 250 units, 230 used, 20 are left', () => {
    const months = new QuotaMonths();
    months.override = { kind: 'multiply', percent: 200 };
    months.buy(50);
    months.use(230);
    expect(months.left.topUps).toEqual([{ id: 'pack-0', remaining: 20, unused: 20 }]);
  });

  const events = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('buy' as const), units: fc.integer({ min: 1, max: 300 }) }),
      fc.record({ kind: fc.constant('use' as const), units: fc.integer({ min: 1, max: 400 }) }),
      fc.record({
        kind: fc.constant('override' as const),
        effect: fc.constantFrom<Adjustment['effect'] | undefined>(
          undefined,
          { kind: 'multiply', percent: 200 },
          { kind: 'multiply', percent: 50 },
          { kind: 'add', units: 30 },
          { kind: 'set', limit: 200 },
          { kind: 'set', limit: 40 },
          { kind: 'set', limit: 0 },
        ),
      }),
      fc.constant({ kind: 'month' as const }),
    ),
    { maxLength: 40 },
  );

  it('adds each unit once, and never admits more than the plans and what was bought, in every order', () => {
    fc.assert(
      fc.property(events, (all) => {
        const months = new QuotaMonths();
        let [admitted, bought, plans, plan] = [0, 0, 0, months.plan];
        for (const event of all) {
          if (event.kind === 'buy') {
            months.buy(event.units);
            bought += event.units;
          } else if (event.kind === 'use') admitted += months.use(event.units);
          else if (event.kind === 'override') months.override = event.effect;
          else {
            months.endMonth();
            plans += plan;
            plan = 0;
          }
          plan = Math.max(plan, months.plan);
          const isBlocked = months.plan === 0;
          expect(months.limit).toBe(isBlocked ? 0 : months.plan + months.rolledOver + months.bought);
          expect(admitted).toBeLessThanOrEqual(plans + plan + bought);
          const { rolledOver, plan: rest, topUps } = months.left;
          const parts = [rolledOver, rest, ...topUps.map(({ remaining }) => remaining)];
          expect(parts.reduce((a, b) => a + b, 0)).toBe(Math.max(0, months.limit - months.used));
        }
      }),
      { numRuns: 500 },
    );
  });
});
