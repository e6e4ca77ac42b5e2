import type { Adjustment, LimitPolicy } from '@tollgate/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { burnDown, splitTopUp, unitsOf } from './top-ups.rules.js';

const UTC = { timeZone: 'UTC', billingAnchorDay: 15 };
const common = { api: 'shop', operations: [], per: [], onUnavailable: 'share' as const };
const monthly: LimitPolicy = { ...common, name: 'monthly', algorithm: 'quota', period: 'month', limit: 1000 };
const day = (n: number) => new Date(Date.UTC(2026, 0, n));
const added = (units: number) => ({ kind: 'add' as const, units });

it('ends a top-up of a monthly quota with the period, and leaves others as they are', () => {
  const billing: LimitPolicy = { ...monthly, name: 'billing', period: 'billing' };
  const daily: LimitPolicy = { ...monthly, name: 'daily', period: 'day' };
  const perUser: LimitPolicy = { ...monthly, name: 'per-user', per: ['user'] };
  const rate: LimitPolicy = { ...common, name: 'rate', algorithm: 'concurrency', leaseMs: 1000, limit: 5 };
  const limits = [monthly, billing, daily, perUser, rate];
  const all = { api: 'shop', effect: added(500) };
  const parts = splitTopUp([all], limits, UTC, day(10), day(40));
  expect(
    parts.map(({ limit, appliesTo, ...times }) => [limit ?? appliesTo, times.endsAt, times.unitsExpireAt]),
  ).toEqual([
    ['rate', day(40), null],
    ['monthly', day(32), day(40)],
    ['billing', day(15), day(40)],
    ['daily', day(40), null],
    ['per-user', day(40), null],
  ]);
  expect(splitTopUp([all], [daily, rate], UTC, day(10), day(40))).toEqual([
    { ...all, endsAt: day(40), unitsExpireAt: null },
  ]);
});

it('uses rolled-over units, then the plan, then top-ups by expiry and age', () => {
  const topUp = (id: string, units: number, expiresAtMs: number) => ({ id, units, expiresAtMs });
  const topUps = [topUp('c', 50, 9), topUp('b', 100, 9), topUp('a', 200, 5)];
  const quota = { limit: 1650, base: 1000, rolledOver: 300, topUps };
  const remaining = (used: number) => {
    const { rolledOver, plan, topUps: left } = burnDown(quota, used);
    return [rolledOver, plan, ...left.map((one) => `${one.id} ${one.remaining}`)];
  };
  expect(remaining(100)).toEqual([200, 1000, 'a 200', 'b 100', 'c 50']);
  expect(remaining(1350)).toEqual([0, 0, 'a 150', 'b 100', 'c 50']);
  expect(remaining(1510)).toEqual([0, 0, 'a 0', 'b 90', 'c 50']);
  expect(remaining(9999)).toEqual([0, 0, 'a 0', 'b 0', 'c 0']);
});

it.each<[string, Adjustment['source'], number, number, number]>([
  ['a block', 'override', 0, 0, 0],
  ['an own ceiling', 'own', 100, 10, 0],
  ['an own ceiling, in part', 'own', 1200, 910, 200],
])('keeps units unused that %s hides', (_what, source, limit, plan, remaining) => {
  const inForce: Adjustment[] = [
    { id: 'pack', source: 'topup', effect: added(500) },
    { id: 'fixed', source, api: 'shop', limit: 'monthly', effect: { kind: 'set', limit } },
  ];
  const rows = new Map([['pack', { cause: 'PURCHASE', unitsExpireAt: day(40) }]]);
  expect(burnDown(unitsOf(monthly, inForce, rows), limit === 0 ? 0 : 90)).toEqual({
    rolledOver: 0,
    plan,
    topUps: [{ id: 'pack', remaining, unused: 500 }],
  });
});

it('has parts that add up to what remains of the effective limit at every time', () => {
  const moment = fc.integer({ min: 0, max: 60 });
  const purchase = fc.record({ units: fc.integer({ min: 1, max: 2000 }), from: moment, days: moment });
  const kinds = fc.constantFrom<Adjustment['effect']>(added(700), { kind: 'multiply', percent: 150 });
  const other = fc.oneof(
    fc.record({ source: fc.constantFrom('upgrade' as const, 'boost' as const), effect: kinds }),
    fc.record({
      source: fc.constantFrom('override' as const, 'own' as const),
      effect: fc.record({ kind: fc.constant('set' as const), limit: fc.integer({ min: 1, max: 3000 }) }),
    }),
  );
  const used = fc.integer({ min: 0, max: 8000 });
  const property = fc.property(
    fc.array(purchase, { maxLength: 8 }),
    fc.option(other, { nil: undefined }),
    fc.integer({ min: 0, max: 1000 }),
    fc.array(fc.tuple(moment, used), { minLength: 1, maxLength: 10 }),
    (purchases, one, rolledOver, readings) => {
      for (const [at, count] of readings) {
        const live = purchases.flatMap(({ units, from, days }, i) =>
          from <= at && at < from + days ? [{ id: `pack-${i}`, units, until: from + days }] : [],
        );
        const rows = new Map<string, { cause: string; unitsExpireAt: Date | null }>([
          ['rolled', { cause: 'ROLLOVER', unitsExpireAt: null }],
        ]);
        for (const { id, until } of live) rows.set(id, { cause: 'PURCHASE', unitsExpireAt: day(until) });
        const inForce: Adjustment[] = live.map(({ id, units }) => ({
          id,
          source: 'topup',
          effect: added(units),
        }));
        if (rolledOver > 0) inForce.push({ id: 'rolled', source: 'topup', effect: added(rolledOver) });
        if (one !== undefined) inForce.push({ ...one, id: 'other', api: 'shop', limit: 'monthly' });
        const units = unitsOf(monthly, inForce, rows);
        const burnt = burnDown(units, count);
        const parts = [burnt.rolledOver, burnt.plan, ...burnt.topUps.map(({ remaining }) => remaining)];
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
        expect(parts.reduce((a, b) => a + b)).toBe(Math.max(0, units.limit - count));
        for (const { id, remaining, unused } of burnt.topUps) {
          expect(unused).toBeGreaterThanOrEqual(remaining);
          expect(unused).toBeLessThanOrEqual(live.find((pack) => pack.id === id)?.units ?? 0);
        }
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});
