import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Adjustment,
  type AdjustmentEffect,
  adjustmentSchema,
  resolveLimit,
  sourceOf,
} from './adjustments.js';
import { ADJUSTMENT_SOURCES } from './answers.js';
import type { LimitPolicy, Rule } from './limit-policy.js';

const common = { name: 'create', api: 'shop', operations: [], per: [], onUnavailable: 'share' as const };
const HOUR_MS = 3_600_000;
const of = (rule: Rule, over: object = {}): LimitPolicy => ({ ...common, ...rule, ...over });
const perHour = (limit: number, over: object = {}) =>
  of({ algorithm: 'fixed_window', limit, windowMs: HOUR_MS, alignment: 'clock' }, over);
const quota = (limit: number) => of({ algorithm: 'quota', limit, period: 'month' });
const gcra = (limit: number, burst: number) => of({ algorithm: 'gcra', limit, windowMs: HOUR_MS, burst });

let made = 0;
const by = (
  source: Adjustment['source'],
  effect: AdjustmentEffect,
  over: Partial<Adjustment> = {},
): Adjustment => ({ id: `a${made++}`, source, api: 'shop', limit: 'create', effect, ...over });
const add = (units: number): AdjustmentEffect => ({ kind: 'add', units });
const times = (percent: number): AdjustmentEffect => ({ kind: 'multiply', percent });
const set = (limit: number, over: object = {}): AdjustmentEffect => ({ kind: 'set', limit, ...over });

const numbersOf = ({ policy }: { policy: LimitPolicy }) => {
  const { limit, burst, capacity, queue } = policy as unknown as Record<string, number | undefined>;
  return [limit, burst ?? capacity ?? queue].filter((number) => number !== undefined);
};

describe('resolveLimit', () => {
  it.each<[string, LimitPolicy, Adjustment[], number[]]>([
    ['nothing: the tier’s', perHour(100), [], [100]],
    // 100 × 2 + 50.
    [
      'an upgrade that doubles, then a top-up',
      perHour(100),
      [by('topup', add(50)), by('upgrade', times(200))],
      [250],
    ],
    // 100 × 2 + 50: bought units are added once.
    [
      'a boost of the limit, not of units',
      perHour(100),
      [by('boost', times(200)), by('topup', add(50))],
      [250],
    ],
    // 100 × 1.5 × 1.5 + 10.
    [
      'two upgrades that multiply and one that adds',
      perHour(100),
      [by('upgrade', times(150)), by('upgrade', add(10)), by('upgrade', times(150))],
      [235],
    ],
    // floor(7 × 1.5 × 1.5) = floor(15.75); twice rounded down it would be 15 too, so: floor(3 × 1.5 × 1.5) = 6, not floor(4 × 1.5).
    ['rounded down once a stage', perHour(3), [by('upgrade', times(150)), by('upgrade', times(150))], [6]],
    [
      'override replaces purchased amounts',
      perHour(100),
      [by('upgrade', add(900)), by('override', set(40))],
      [40],
    ],
    ['a boost on an override', perHour(100), [by('override', set(40)), by('boost', times(300))], [120]],
    ['never below 1', perHour(50), [by('override', times(1))], [1]],
    [
      'never below 1, and up again from there',
      perHour(100),
      [by('override', times(1)), by('boost', add(4))],
      [5],
    ],
    [
      'of two numbers that are set the higher',
      perHour(100),
      [by('override', set(40)), by('override', set(30))],
      [40],
    ],
    ['another limit’s', perHour(100), [by('upgrade', add(1), { limit: 'read' })], [100]],
    ['another API’s', perHour(100), [by('upgrade', add(1), { api: 'blog' })], [100]],
    ['for rates: a window is one', perHour(100), [by('upgrade', times(200), { appliesTo: 'rate' })], [200]],
    ['appliesTo rate: not a quota', quota(100), [by('upgrade', times(200), { appliesTo: 'rate' })], [100]],
    ['for quotas', quota(100), [by('upgrade', times(200), { appliesTo: 'quota' })], [200]],
    [
      'a limit counted over all tenants cannot be raised',
      perHour(100, { per: ['global'] }),
      [by('override', set(1))],
      [100],
    ],
    ['a burst keeps its proportion', gcra(60, 10), [by('upgrade', times(250))], [150, 25]],
    // 10 × 61 ÷ 60.
    ['rounded down', gcra(60, 10), [by('upgrade', add(1))], [61, 10]],
    ['unless it is set', gcra(60, 10), [by('override', set(120, { burst: 3 }))], [120, 3]],
    [
      'set, then in proportion to that',
      gcra(60, 10),
      [by('override', set(120, { burst: 3 })), by('boost', times(200))],
      [240, 6],
    ],
    ['an omitted field uses the value of the tier', gcra(60, 10), [by('override', set(120))], [120, 20]],
    [
      'a bucket holds at least one token',
      of({ algorithm: 'token_bucket', limit: 100, windowMs: HOUR_MS, capacity: 5, refill: 'continuous' }),
      [by('override', set(1))],
      [1, 1],
    ],
    [
      'a queue may become 0',
      of({ algorithm: 'leaky_bucket', limit: 100, windowMs: HOUR_MS, queue: 5 }),
      [by('override', set(1))],
      [1, 0],
    ],
  ])('%s', (_what, base, adjustments, expected) => {
    expect(numbersOf(resolveLimit(base, adjustments))).toEqual(expected);
  });

  it('returns each step in stage order', () => {
    const upgrade = by('upgrade', times(200));
    const topup = by('topup', add(50));
    const override = by('override', set(40));
    const boost = by('boost', times(300));
    const temporary = by('topup', times(150));
    const own = by('own', set(150));
    const { provenance } = resolveLimit(perHour(100), [own, boost, override, topup, temporary, upgrade]);
    expect(provenance).toEqual([
      { source: 'upgrade', id: upgrade.id, from: 100, to: 200 },
      { source: 'topup', id: temporary.id, from: 200, to: 300 },
      { source: 'override', id: override.id, from: 300, to: 40 },
      { source: 'boost', id: boost.id, from: 40, to: 120 },
      { source: 'topup', id: topup.id, from: 120, to: 170 },
      { source: 'own', id: own.id, from: 170, to: 150 },
    ]);
    expect(sourceOf(provenance)).toBe('own');
    expect(sourceOf(provenance.slice(0, 5))).toBe('topup');
    expect(sourceOf([], 'default')).toBe('default');
  });

  it.each(documentedExamples())(
    'computes the documented example: %s',
    (_row, tier, adjustments, effective) => {
      expect(resolveLimit(quota(tier), adjustments).policy.limit).toBe(effective);
    },
  );

  it('the source is the last that changed the number', () => {
    const { provenance } = resolveLimit(perHour(100), [by('upgrade', add(1)), by('boost', times(100))]);
    expect(sourceOf(provenance)).toBe('upgrade');
  });

  it('returns the same object if nothing changes it, so that tenants share the compiled limit', () => {
    const base = gcra(60, 10);
    expect(resolveLimit(base, [by('upgrade', times(100))]).policy).toBe(base);
    expect(resolveLimit(base, [by('upgrade', add(5), { api: 'blog' })]).policy).toBe(base);
  });

  it.each<[string, LimitPolicy, AdjustmentEffect, object]>([
    [
      'a log',
      of({ algorithm: 'sliding_window_log', limit: 100, windowMs: HOUR_MS }),
      times(100_000),
      { limit: 10_000 },
    ],
    [
      'permits',
      of({ algorithm: 'concurrency', limit: 100, leaseMs: 1000 }),
      add(1_000_000),
      { limit: 10_000 },
    ],
    [
      'permits with a band',
      of(
        { algorithm: 'concurrency', limit: 100, leaseMs: 1000 },
        { throttle: { mode: 'soft', percent: 100 } },
      ),
      add(1_000_000),
      { limit: 5000 },
    ],
    [
      // A window of 1,000 µs: one every 4 µs is 250, every 3 µs would be 333.3, every 2 µs 500.
      'a spacing of whole microseconds',
      of({ algorithm: 'gcra', limit: 100, windowMs: 1, burst: 9 }),
      set(450),
      { limit: 250, burst: 40 },
    ],
    [
      'a band of less than one',
      perHour(100, { throttle: { mode: 'soft', percent: 10 } }),
      set(5),
      { limit: 5 },
    ],
    [
      'below the size of a lease',
      of(
        { algorithm: 'gcra', limit: 3600, windowMs: HOUR_MS, burst: 99 },
        { consistency: { mode: 'leased', leaseMs: 10_000 } },
      ),
      set(3600, { burst: 4 }),
      { limit: 3600, burst: 4 },
    ],
  ])('%s: uses the nearest representable value and reports clamped', (_what, base, effect, expected) => {
    const { policy, clamped } = resolveLimit(base, [by('override', effect)]);
    expect(policy).toMatchObject(expected);
    expect(policy.throttle === undefined || policy.limit > 5).toBe(true);
    expect(clamped).toBe(true);
  });

  it('a candidate is tried as it would apply to the tenant', () => {
    const candidate = { algorithm: 'gcra', limit: 50, windowMs: HOUR_MS, burst: 4 } as const;
    const { policy } = resolveLimit(perHour(100, { candidate }), [by('upgrade', times(300))]);
    expect(policy).toMatchObject({ limit: 300, candidate: { ...candidate, limit: 150, burst: 12 } });
  });
});

/** Rows of the table in docs/rules/effective-limits.md. */
function documentedExamples(): [string, number, Adjustment[], number][] {
  const page = readFileSync(new URL('../../../docs/rules/effective-limits.md', import.meta.url), 'utf8');
  const [, table = ''] = /<!-- begin examples -->([\s\S]*)<!-- end examples -->/.exec(page) ?? [];
  const sources = ['warm_up', 'upgrade', 'override', 'boost', 'topup', 'own'] as const;
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) => {
    const [tier, ...cells] = row.split('|').slice(1, -1);
    const effective = cells.pop();
    const adjustments = cells.flatMap((cell, i) =>
      effectsIn(cell).map((effect) => by(sources[i] ?? 'own', effect)),
    );
    return [row, Number(tier), adjustments, Number(effective)];
  });
}

/** Such as `+50`, `200 %` and `= 40`. */
function effectsIn(cell: string): AdjustmentEffect[] {
  return [...cell.matchAll(/([+=]?) ?(\d+)/g)].map(([, sign, number]) =>
    sign === '+' ? add(Number(number)) : sign === '=' ? set(Number(number)) : times(Number(number)),
  );
}

describe('adjustment properties', () => {
  const effects = (raising: boolean) =>
    fc.oneof(
      fc.record({
        kind: fc.constant('add' as const),
        units: fc.integer({ min: 1, max: 10_000 }),
      }),
      fc.record({
        kind: fc.constant('multiply' as const),
        percent: fc.integer({ min: raising ? 100 : 1, max: 5000 }),
      }),
    );
  const sets = fc.record({ kind: fc.constant('set' as const), limit: fc.integer({ min: 1, max: 100_000 }) });
  const adjustments = (raising = false) =>
    fc.array(
      fc
        .tuple(
          fc.constantFrom(...ADJUSTMENT_SOURCES),
          raising ? effects(true) : fc.oneof(effects(false), sets),
        )
        .map(([source, effect]) => by(source, effect)),
      { maxLength: 8 },
    );
  const limits = fc.integer({ min: 1, max: 1_000_000 });
  const check = <T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>) =>
    fc.assert(property, { numRuns: 500 });

  it('order within a stage does not matter', () => {
    const shuffled = adjustments().chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    check(
      fc.property(limits, shuffled, (limit, [all, other]) => {
        expect(resolveLimit(gcra(limit, 7), other)).toEqual(resolveLimit(gcra(limit, 7), all));
      }),
    );
  });

  it("a tenant's own limit is never exceeded and never raises a limit", () => {
    const own = fc.integer({ min: 1, max: 2_000_000 });
    check(
      fc.property(limits, adjustments(), own, (limit, all, most) => {
        const others = all.filter(({ source }) => source !== 'own');
        const without = resolveLimit(perHour(limit), others).policy.limit;
        const result = resolveLimit(perHour(limit), [...others, by('own', set(most))]).policy.limit;
        expect(result).toBe(Math.min(without, most));
      }),
    );
  });

  it('bought units are added once, whatever else changes the limit, unless an override blocks it', () => {
    const blocking = fc.constantFrom([], [by('override', set(0))]);
    const packs = fc.array(fc.integer({ min: 1, max: 10_000 }), { maxLength: 5 });
    check(
      fc.property(limits, adjustments(), blocking, packs, (limit, all, block, units) => {
        const isUnits = ({ source, effect }: Adjustment) => source === 'topup' && effect.kind === 'add';
        const others = [...all.filter((one) => one.source !== 'own' && !isUnits(one)), ...block];
        const bought = units.map((one) => by('topup', add(one)));
        const without = resolveLimit(perHour(limit), others).policy.limit;
        const sum = without === 0 ? 0 : units.reduce((a, b) => a + b, 0);
        expect(resolveLimit(perHour(limit), [...bought, ...others]).policy.limit).toBe(without + sum);
      }),
    );
  });

  it('the result is a whole number of 1 or more', () => {
    check(
      fc.property(limits, adjustments(), (limit, all) => {
        for (const number of numbersOf(resolveLimit(gcra(limit, 7), all))) {
          expect(Number.isSafeInteger(number)).toBe(true);
          expect(number).toBeGreaterThanOrEqual(0);
        }
        expect(resolveLimit(gcra(limit, 7), all).policy.limit).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it('a higher limit stays higher, and a further raise never lowers it', () => {
    check(
      fc.property(limits, limits, adjustments(), adjustments(true), (a, b, all, raises) => {
        const at = (limit: number, applied: Adjustment[]) =>
          resolveLimit(perHour(limit), applied).policy.limit;
        expect(at(Math.max(a, b), all)).toBeGreaterThanOrEqual(at(Math.min(a, b), all));
        expect(at(a, [...all, ...raises])).toBeGreaterThanOrEqual(at(a, all));
      }),
    );
  });

  it('the steps lead from the tier’s number to the one in force', () => {
    check(
      fc.property(limits, adjustments(), (limit, all) => {
        const { provenance, policy } = resolveLimit(perHour(limit), all);
        let at = limit;
        for (const { from, to } of provenance) {
          expect(from).toBe(at);
          at = to;
        }
        expect(policy.limit).toBe(at);
      }),
    );
  });
});

describe('resolveLimit of a blocking limit', () => {
  const bucket = (limit: number, capacity: number) =>
    of({ algorithm: 'token_bucket', limit, windowMs: HOUR_MS, capacity, refill: 'continuous' });
  const all: Partial<Adjustment> = { limit: undefined };

  it.each<[string, LimitPolicy, Adjustment[], number[]]>([
    ['stays blocked by a percentage', perHour(0), [by('override', times(500))], [0]],
    ['stays blocked by units for all limits', perHour(0), [by('topup', add(50), all)], [0]],
    ['gets units that name it', perHour(0), [by('topup', add(50))], [50]],
    [
      'is then changed like others',
      perHour(0),
      [by('upgrade', add(50)), by('boost', times(200), all)],
      [100],
    ],
    ['keeps the burst when lifted', gcra(0, 9), [by('override', set(50))], [50, 9]],
    ['has a bucket of the new limit', bucket(0, 1), [by('override', set(50))], [50, 50]],
    ['keeps a larger bucket', bucket(0, 80), [by('override', set(50))], [50, 80]],
    ['comes from an override of 0', gcra(100, 9), [by('override', set(0))], [0, 9]],
    ['outlasts a boost of all limits', perHour(100), [by('override', set(0)), by('boost', add(5), all)], [0]],
    ['is never raised by the tenant', perHour(0), [by('own', set(5))], [0]],
  ])('%s', (_what, base, adjustments, expected) => {
    expect(numbersOf(resolveLimit(base, adjustments))).toEqual(expected);
  });
});

describe('adjustmentSchema', () => {
  it.each<[string, object, string | undefined]>([
    ['of all limits', { effect: times(200) }, undefined],
    ['of one limit', { api: 'shop', limit: 'create', effect: set(5) }, undefined],
    ['a limit without its API', { limit: 'create', effect: add(1) }, 'api'],
    ['returns a number for any limit', { api: 'shop', effect: set(5) }, 'limit'],
    ['nothing added', { effect: add(0) }, 'effect.units'],
    ['nothing left', { effect: times(0) }, 'effect.percent'],
    ['a part of a request', { effect: add(0.5) }, 'effect.units'],
    ['an override that blocks', { api: 'shop', limit: 'create', effect: set(0) }, undefined],
    [
      'a boost that blocks',
      { source: 'boost', api: 'shop', limit: 'create', effect: set(0) },
      'effect.limit',
    ],
  ])('%s', (_what, over, path) => {
    const parsed = adjustmentSchema.safeParse({ id: 'a', source: 'override', ...over });
    expect(parsed.error?.issues[0]?.path.join('.')).toBe(path);
  });
});
