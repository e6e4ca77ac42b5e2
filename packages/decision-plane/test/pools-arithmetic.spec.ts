import type { PoolWarmUp } from '@tollgate/contracts';
import { type ByPriority, SlidingSecond, Spread, sumOf } from '@tollgate/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Borrower, grantsOf, ownAllowance, waterFill } from '../src/pools/allowances.js';
import {
  correctionAt,
  EMPTY_POOL,
  exchangeReport,
  NO_CORRECTION,
  type PoolReport,
  stepCorrection,
  warmUpAt,
} from '../src/pools/exchange.js';

const NOW_MS = Date.UTC(2026, 0, 1);

describe('max-min fair division', () => {
  it.each([
    // 90 for three equal demands: 30 each.
    [90, [100, 100, 100], [1, 1, 1], [30, 30, 30]],
    // One wants only 10; the other 80 are shared 1 : 3.
    [90, [100, 10, 100], [1, 1, 3], [20, 10, 60]],
    // Enough for all.
    [90, [10, 20, 30], [1, 5, 1], [10, 20, 30]],
    // 60 / 6 = 10 for a weight of 1: the first takes its 5, 55 / 5 = 11 for each of the rest.
    [60, [5, 100, 100], [1, 2, 3], [5, 22, 33]],
    [0, [5, 5], [1, 1], [0, 0]],
    [10, [], [], []],
  ])('%d for demands %j, weights %j: %j', (units, demands, weights, expected) => {
    expect(waterFill(units, demands, weights)).toEqual(expected);
  });

  it('distributes all available units up to the demands, and favors no lighter borrower', () => {
    const wants = fc.array(fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 1000 })), { minLength: 1 });
    fc.assert(
      fc.property(fc.nat(20_000), wants, (units, borrowers) => {
        const demands = borrowers.map(([demand]) => demand);
        const weights = borrowers.map(([, weight]) => weight);
        const parts = waterFill(units, demands, weights);
        const given = parts.reduce((a, b) => a + b, 0);
        expect(given).toBeCloseTo(
          Math.min(
            units,
            demands.reduce((a, b) => a + b, 0),
          ),
          6,
        );
        const levels = parts.map((part, i) => part / (weights[i] ?? 1));
        parts.forEach((part, i) => {
          expect(part).toBeLessThanOrEqual(demands[i] ?? 0);
          if (part < (demands[i] ?? 0) - 1e-6) {
            for (const level of levels) expect(levels[i]).toBeGreaterThanOrEqual(level - 1e-6);
          }
        });
      }),
    );
  });
});

describe('rounding', () => {
  it('rounded parts keep the sum, each within one of its part; none stays 0 forever', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1 }),
        fc.nat(),
        (parts, ms) => {
          const spread = new Spread(ms);
          const whole = parts.map((part) => spread.next(part));
          const difference = whole.reduce((a, b) => a + b, 0) - parts.reduce((a, b) => a + b, 0);
          expect(Math.abs(difference)).toBeLessThan(1.000_001);
          for (const [i, units] of whole.entries()) {
            expect(Math.abs(units - (parts[i] ?? 0))).toBeLessThan(1.000_001);
          }
        },
      ),
    );
    let units = 0;
    for (let turn = 0; turn < 100; turn++) units += new Spread(NOW_MS + turn * 2000).next(0.3);
    expect(units).toBeGreaterThanOrEqual(28);
    expect(units).toBeLessThanOrEqual(32);
  });
});

describe('own traffic', () => {
  const node = (own: ByPriority, demand: ByPriority = own) => ({ own, demand });

  it.each([
    // 700 are free: either node may have all of them.
    ['all fits', [node([0, 0, 100]), node([0, 0, 200])], 0, { limits: [900, 900, 800], short: 3 }],
    // 1,200 wanted: 1000 × 900 / 1200 and 1000 × 300 / 1200.
    ['short', [node([0, 700, 0], [0, 900, 0]), node([0, 300, 0])], 0, { short: 1, cap: 750 }],
    ['short', [node([0, 700, 0], [0, 900, 0]), node([0, 300, 0])], 1, { short: 1, cap: 250 }],
    // 300 and 500 fit; of 900 background ones, 200 do.
    ['background is short', [node([300, 500, 200], [300, 500, 900])], 0, { short: 2, cap: 200 }],
    // Critical and normal may use a tenth more, as background yields; background may not.
    ['overdraft', [node([300, 400, 300])], 0, { limits: [1100, 1100, 1000], short: 3 }],
    // 1,500 of 1,000 are in use: each is reduced in proportion.
    ['past it', [node([900, 0, 0]), node([600, 0, 0])], 1, { limits: [400, 400, 400], short: 0, cap: 400 }],
  ] as const)('%s: %j, node %d: %j', (_, nodes, index, expected) => {
    expect(ownAllowance(nodes, index, 1000, NOW_MS)).toMatchObject(expected);
  });
});

describe('borrowing', () => {
  const loan = (tenant: string, wanted: ByPriority, borrowed = 0, weight = 1): Borrower => ({
    tenant,
    weight,
    borrowed,
    demand: wanted,
  });

  it('a tenant on two nodes counts once; surplus is distributed by weight too', () => {
    const nodes = [
      { held: 0, borrowers: [loan('a', [0, 60, 0]), loan('b', [0, 100, 0])] },
      { held: 0, borrowers: [loan('a', [0, 20, 0])] },
    ];
    // 100 in all: 50 for b, 50 for a, of which 60 / 80 here.
    const totals = grantsOf(nodes, 0, 100, NOW_MS).grants.map(({ total }) => total);
    expect(Math.abs((totals[0] ?? 0) - 37.5)).toBeLessThan(1);
    expect(totals[1]).toBe(50);
    // 1,000 in all: 820 more than wanted, half for each tenant.
    expect(grantsOf(nodes, 0, 1000, NOW_MS).grants[1]?.total).toBe(100 + 410);
  });

  it('grows only by the units that others have returned, and by a sixteenth', () => {
    const nodes = [
      { held: 100, borrowers: [loan('a', [0, 500, 0], 100)] },
      { held: 0, borrowers: [loan('b', [0, 500, 0], 0)] },
    ];
    // 100 are spare and all are lent: b gets 100 / 16 / 2 nodes now, a is limited to its 50.
    expect(grantsOf(nodes, 1, 100, NOW_MS)).toMatchObject({ grants: [{ total: 3 }], held: 3 });
    expect(grantsOf(nodes, 0, 100, NOW_MS)).toMatchObject({ grants: [{ total: 50 }], held: 100 });
  });

  it('the nodes together never use more than 17/16 of the spare capacity, in any order of requests', () => {
    const amount = fc.nat(500);
    const wants = fc.array(fc.tuple(amount, amount, amount), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.nat(1000), fc.array(wants, { minLength: 1, maxLength: 5 }), (spare, demands) => {
        const nodes = demands.map((all) => ({
          held: 0,
          borrowers: all.map((demand, i) => loan(`t${i}`, demand)),
        }));
        for (let round = 0; round < 3; round++) {
          nodes.forEach((one, index) => {
            one.held = grantsOf(nodes, index, spare, NOW_MS).held;
          });
          expect(nodes.reduce((sum, { held }) => sum + held, 0)).toBeLessThanOrEqual((spare * 17) / 16);
        }
      }),
    );
  });
});

describe('capacity', () => {
  const heard = (permille: number, utilizationPermille: number, atMs = NOW_MS) =>
    stepCorrection(
      { permille, steppedAtMs: atMs - 1000, reportedAtMs: atMs - 1000 },
      [
        { atMs, utilizationPermille },
        { atMs, utilizationPermille: 100 },
      ],
      true,
      atMs,
    ).permille;

  it.each([
    [1000, 1010, 900],
    [1000, 1250, 800],
    [1000, 9000, 500],
    [150, 9000, 100],
    [100, 9000, 100],
    [500, 1000, 500],
    [500, 900, 500],
    [500, 899, 550],
    [980, 10, 1000],
  ])('at %d permille, the busiest service at %d: %d', (permille, utilization, expected) => {
    expect(heard(permille, utilization)).toBe(expected);
  });

  it('one step a second, and none without a report', () => {
    const first = stepCorrection(NO_CORRECTION, [{ atMs: NOW_MS, utilizationPermille: 2000 }], true, NOW_MS);
    expect(first.permille).toBe(500);
    const soon = stepCorrection(first, [{ atMs: NOW_MS, utilizationPermille: 2000 }], true, NOW_MS + 999);
    expect(soon.permille).toBe(500);
    expect(stepCorrection(soon, [], false, NOW_MS + 1500)).toBe(soon);
  });

  it('without reports, it returns to normal linearly from 5 s to 9 s', () => {
    const low = { permille: 200, steppedAtMs: NOW_MS, reportedAtMs: NOW_MS };
    const after = [0, 5000, 6000, 7000, 9000].map((ms) => correctionAt(low, NOW_MS + ms));
    expect(after).toEqual([200, 200, 400, 600, 1000]);
  });
});

describe('warm-up after a cold start', () => {
  const none = [0, 0, 0] as const;
  const report: PoolReport = { node: 'n', own: none, demand: none, borrowers: [], services: [] };
  const started: PoolReport = { ...report, coldStartAgeMs: 0 };
  const warmUps = fc.record({
    ms: fc.integer({ min: 1000, max: 3_600_000 }),
    startPercent: fc.integer({ min: 1, max: 99 }),
  });
  const poolWith = (warmUp?: PoolWarmUp) => ({ key: 'p', capacity: 1000, reclaimPercent: 80, warmUp });

  it('grows from the start percentage, never above the line, and ends exactly at its length', () => {
    fc.assert(
      fc.property(warmUps, fc.array(fc.nat(3_700_000)), (warmUp, ages) => {
        const at = (ageMs: number) => warmUpAt(warmUp, NOW_MS, NOW_MS + ageMs);
        expect(at(0)).toBe(warmUp.startPercent * 10);
        expect(at(warmUp.ms)).toBe(1000);
        let before = 0;
        for (const ageMs of ages.toSorted((a, b) => a - b)) {
          const start = warmUp.startPercent * 10;
          const line = Math.min(1000, start + ((1000 - start) * ageMs) / warmUp.ms);
          expect(at(ageMs)).toBeLessThanOrEqual(line);
          expect(at(ageMs)).toBeGreaterThan(line - 1);
          expect(at(ageMs)).toBeGreaterThanOrEqual(before);
          before = at(ageMs);
        }
      }),
    );
  });

  it('starts with a report, starts again with a later one, and does not start without warm-up', () => {
    const pool = poolWith({ ms: 10_000, startPercent: 20 });
    const capacities: number[] = [];
    let state = EMPTY_POOL;
    const exchange = (sent: PoolReport, atMs: number) => {
      const result = exchangeReport(state, pool, sent, NOW_MS + atMs);
      state = result.state;
      capacities.push(result.answer.capacity);
    };
    exchange(report, 0);
    exchange(started, 1000);
    exchange(report, 6000);
    exchange(started, 7000);
    // A node that could not exchange reports an older start.
    exchange({ ...report, coldStartAgeMs: 6000 }, 9000);
    exchange(report, 17_000);
    exchange({ ...report, coldStartAgeMs: 10_000 }, 18_000);
    expect(capacities).toEqual([1000, 200, 600, 200, 360, 1000, 1000]);
    expect(exchangeReport(EMPTY_POOL, poolWith(), started, NOW_MS).answer.capacity).toBe(1000);
  });

  it('a clock that is set back moves the ramp by the same time; by more than its length, it ends the ramp', () => {
    const pool = poolWith({ ms: 10_000, startPercent: 20 });
    const { state } = exchangeReport(EMPTY_POOL, pool, started, NOW_MS);
    expect(exchangeReport(state, pool, report, NOW_MS - 5000).answer.capacity).toBe(600);
    const ended = exchangeReport(state, pool, report, NOW_MS - 10_000);
    expect(ended.answer.capacity).toBe(1000);
    expect(exchangeReport(ended.state, pool, report, NOW_MS).answer.capacity).toBe(1000);
  });

  it('the lower one of warm-up and correction applies, and a cut starts from the capacity in effect', () => {
    const pool = poolWith({ ms: 10_000, startPercent: 40 });
    const loaded = (utilizationPermille: number) => ({ services: [{ service: 's', utilizationPermille }] });
    const first = exchangeReport(EMPTY_POOL, pool, { ...started, ...loaded(2000) }, NOW_MS);
    expect(first.answer.capacity).toBe(200);
    const second = exchangeReport(first.state, pool, { ...report, ...loaded(500) }, NOW_MS + 1000);
    expect(second.answer.capacity).toBe(250);
    const corrected = exchangeReport(EMPTY_POOL, pool, { ...report, ...loaded(1250) }, NOW_MS);
    expect(corrected.answer.capacity).toBe(800);
    expect(exchangeReport(corrected.state, pool, started, NOW_MS + 10).answer.capacity).toBe(400);
  });
});

describe('sliding second', () => {
  it('counts each unit for at least a second and at most 1,010 ms', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(400), fc.nat(9)), { maxLength: 60 }),
        fc.nat(5000),
        (steps, startMs) => {
          const second = new SlidingSecond(2);
          const log: [number, number][] = [];
          let nowMs = startMs;
          for (const [moveMs, units] of steps) {
            nowMs += moveMs;
            second.advance(nowMs);
            second.add(1, units);
            log.push([nowMs, units]);
            const within = (ms: number) =>
              log.reduce((sum, [atMs, some]) => sum + (nowMs - atMs < ms ? some : 0), 0);
            expect(second.total(1)).toBeGreaterThanOrEqual(within(1000));
            expect(second.total(1)).toBeLessThanOrEqual(within(1010));
            expect(second.total(0)).toBe(0);
          }
        },
      ),
    );
  });

  it('subtracting never results in less than 0', () => {
    const second = new SlidingSecond(1);
    second.advance(0);
    second.add(0, 5);
    second.advance(995);
    second.add(0, -5);
    expect(second.total(0)).toBe(0);
    second.advance(1010);
    expect(second.total(0)).toBe(0);
    second.advance(3000);
    second.add(0, 1);
    expect(sumOf([second.total(0), 0, 0])).toBe(1);
  });
});
