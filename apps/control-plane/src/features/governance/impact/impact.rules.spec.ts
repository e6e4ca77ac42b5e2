import type { Adjustment, ApiRecord, LimitPolicy, PoolWarmUp } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { findAffected, type LimitProfile, type PolicyView, profileKey } from './impact.rules.js';

const limit = (max: number, more: Partial<LimitPolicy> = {}): LimitPolicy =>
  ({
    name: 'per-minute',
    api: 'shop',
    operations: [],
    per: [],
    algorithm: 'fixed_window',
    alignment: 'clock',
    limit: max,
    windowMs: 60_000,
    onUnavailable: 'share',
    ...more,
  }) as LimitPolicy;

const SHOP: ApiRecord = { key: 'shop', unknownOperations: 'allow', operations: [{ name: 'buy', cost: 1 }] };
const STANDING: LimitProfile = { status: 'active', tier: 'pro', pinnedVersion: null, adjustments: [] };

interface Sketch {
  limits?: LimitPolicy[][];
  weight?: number;
  apis?: ApiRecord[];
  tenants?: Record<string, Partial<LimitProfile>>;
  others?: [Partial<LimitProfile>, number][];
}

/** Versions count from 1; the last one is current. */
function view({
  limits = [[limit(10)]],
  weight = 1,
  apis = [SHOP],
  tenants = {},
  others = [],
}: Sketch): PolicyView {
  const made: PolicyView = {
    catalogue: {
      apis,
      tiers: [
        {
          key: 'pro',
          currentVersion: limits.length,
          weight,
          versions: limits.map((one, i) => ({ number: i + 1, limits: one })),
        },
      ],
    },
    profiles: new Map(),
    tenants: new Map(),
    others: new Map(),
  };
  const remember = (more: Partial<LimitProfile>) => {
    const profile = { ...STANDING, ...more };
    made.profiles.set(profileKey(profile), profile);
    return profileKey(profile);
  };
  for (const [tenant, profile] of Object.entries(tenants)) made.tenants.set(tenant, remember(profile));
  for (const [profile, count] of others) made.others.set(remember(profile), count);
  return made;
}

const impactOf = (before: PolicyView, after: PolicyView) => findAffected(before, after).counts;

describe('a change of a tier', () => {
  const others: Sketch['others'] = [
    [{}, 100_000],
    [{ pinnedVersion: 1 }, 7],
    [{ status: 'suspended' }, 3],
  ];
  const from = view({ limits: [[limit(10)]], others });

  it('affects followers and no pinned tenants', () => {
    const to = view({ limits: [[limit(10)], [limit(20)]], others });
    expect(impactOf(from, to)).toEqual({ tenants: 100_003, increased: 100_003, decreased: 0 });
  });

  it('that increases one limit and decreases another counts as both', () => {
    const two = (a: number, b: number) => [limit(a), limit(b, { name: 'per-hour' })];
    const impact = impactOf(
      view({ limits: [two(10, 100)], others }),
      view({ limits: [two(20, 50)], others }),
    );
    expect(impact).toEqual({ tenants: 100_010, increased: 100_010, decreased: 100_010 });
  });

  it('without effect affects no tenant', () => {
    expect(impactOf(from, view({ limits: [[limit(10)], [limit(10)]], others }))).toMatchObject({
      tenants: 0,
    });
  });

  it('of its weight affects tenants with elastic limits', () => {
    const elastic = [limit(10, { throttle: { mode: 'elastic', maxPercent: 50, pool: 'p' } })];
    const weigh = (limits: LimitPolicy[], weight: number) =>
      view({ limits: [limits], weight, others: [[{}, 5]] });
    expect(impactOf(weigh(elastic, 1), weigh(elastic, 3))).toEqual({
      tenants: 5,
      increased: 5,
      decreased: 0,
    });
    expect(impactOf(weigh([limit(10)], 1), weigh([limit(10)], 3))).toMatchObject({ tenants: 0 });
  });
});

describe('a change of a tenant', () => {
  const limits = [[limit(10)], [limit(20)]];
  const moved = (was: Partial<LimitProfile> | undefined, is: Partial<LimitProfile> | undefined) =>
    impactOf(
      view({ limits, tenants: was === undefined ? {} : { acme: was } }),
      view({ limits, tenants: is === undefined ? {} : { acme: is } }),
    );
  const boost: Adjustment = {
    id: 'b',
    source: 'boost',
    api: 'shop',
    limit: 'per-minute',
    effect: { kind: 'multiply', percent: 300 },
  };

  it.each<
    [string, Partial<LimitProfile> | undefined, Partial<LimitProfile> | undefined, [number, number, number]]
  >([
    ['to a higher version', { pinnedVersion: 1 }, {}, [1, 1, 0]],
    ['to a lower version', {}, { pinnedVersion: 1 }, [1, 0, 1]],
    ['to suspended', {}, { status: 'suspended' }, [1, 0, 1]],
    ['from suspended to active', { status: 'suspended' }, {}, [1, 1, 0]],
    ['to a boost', {}, { adjustments: [boost] }, [1, 1, 0]],
    [
      'to a lower version with a boost that offsets it',
      {},
      { pinnedVersion: 1, adjustments: [{ ...boost, effect: { kind: 'multiply', percent: 200 } }] },
      [0, 0, 0],
    ],
    ['that creates the tenant', undefined, {}, [1, 0, 0]],
    ['without effect', {}, {}, [0, 0, 0]],
  ])('%s', (_name, was, is, [tenants, increased, decreased]) => {
    expect(moved(was, is)).toEqual({ tenants, increased, decreased });
  });
});

describe('a change of an API', () => {
  const others: Sketch['others'] = [[{}, 4]];
  const changed = (was: Partial<ApiRecord>, is: Partial<ApiRecord>) =>
    impactOf(view({ apis: [{ ...SHOP, ...was }], others }), view({ apis: [{ ...SHOP, ...is }], others }));
  const cost = (value: number) => ({ operations: [{ name: 'buy', cost: value }] });
  const pool = (capacity: number, warmUp?: PoolWarmUp) => ({
    pools: [{ name: 'p', operations: [], capacity, reclaimPercent: 80, warmUp }],
  });

  it.each<[string, Partial<ApiRecord>, Partial<ApiRecord>, [number, number, number]]>([
    ['to a higher operation cost', cost(1), cost(2), [4, 0, 4]],
    ['to a lower operation cost', cost(3), cost(2), [4, 4, 0]],
    ['that registers an operation', { operations: [] }, cost(1), [4, 0, 4]],
    [
      'that registers a previously rejected operation',
      { operations: [], unknownOperations: 'refuse' },
      { ...cost(1), unknownOperations: 'refuse' },
      [4, 4, 0],
    ],
    ['that rejects unregistered operations', {}, { unknownOperations: 'refuse' }, [4, 0, 4]],
    ['to a larger pool', pool(10), pool(20), [4, 4, 0]],
    ['that adds a warm-up', pool(10), pool(10, { ms: 1000, startPercent: 50 }), [4, 0, 4]],
    [
      'to a shorter warm-up',
      pool(10, { ms: 9000, startPercent: 50 }),
      pool(10, { ms: 1000, startPercent: 50 }),
      [4, 4, 0],
    ],
    ['that adds a first pool', {}, pool(20), [4, 4, 4]],
    ['without effect', {}, {}, [0, 0, 0]],
  ])('%s', (_name, was, is, [tenants, increased, decreased]) => {
    expect(changed(was, is)).toEqual({ tenants, increased, decreased });
  });

  it('does not affect tenants without limits on it', () => {
    const bank: ApiRecord = { ...SHOP, key: 'bank' };
    const dear: ApiRecord = { ...bank, ...cost(9) };
    expect(
      impactOf(view({ apis: [SHOP, bank], others }), view({ apis: [SHOP, dear], others })),
    ).toMatchObject({ tenants: 0 });
  });
});

describe('affected groups', () => {
  const limits = [limit(10), limit(100, { name: 'per-hour' })];
  const tenants = { acme: {}, pinned: { pinnedVersion: 1 } };
  const from = view({ limits: [limits], tenants, others: [[{}, 3]] });
  const to = view({ limits: [limits, [limit(5), limits[1] as LimitPolicy]], tenants, others: [[{}, 3]] });

  it('are listed individually and by profile, with decreased limits', () => {
    const { groups } = findAffected(from, to);
    expect(
      groups.map(({ tenant, decreasedLimits }) => [tenant, decreasedLimits.map(({ name }) => name)]),
    ).toEqual([
      ['acme', ['per-minute']],
      [null, ['per-minute']],
    ]);
  });
});
