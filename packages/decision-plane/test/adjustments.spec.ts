import type { Adjustment, ApiRecord, CarryOver, LimitPolicy, TenantRecord } from '@tollgate/contracts';
import type { RuleKind } from '@tollgate/limiter/algorithms';
import { MemoryStore } from '@tollgate/limiter/stores';
import { CompiledCatalogue } from '@tollgate/policy';
import { describe, expect, it } from 'vitest';
import { LONG_RULES, usedAfter } from '../../limiter/test/long-rules.js';
import { gcraPolicy, policyBy } from '../../limiter/test/policies.js';
import { FakeClock, TestPlane } from '../src/testing/index.js';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 5);
const KINDS = Object.keys(LONG_RULES) as RuleKind[];
const RULES: readonly CarryOver[] = ['keep', 'reset', 'proportional', 'additive'];

const UPGRADE: Adjustment = { id: 'ent_1', source: 'upgrade', effect: { kind: 'multiply', percent: 150 } };
const BOOST: Adjustment = { id: 'ovr_1', source: 'boost', effect: { kind: 'add', units: 12 } };
const LOWER: Adjustment = {
  id: 'ovr_2',
  source: 'override',
  api: 'url-shortener',
  limit: 'create-minute',
  effect: { kind: 'set', limit: 4 },
};
const ask = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

const recordOf = (over: Partial<TenantRecord> = {}): TenantRecord => ({
  kind: 'tenant',
  revision: 1,
  tenant: 'acme',
  status: 'active',
  tier: 'test',
  pinnedVersion: null,
  ...over,
});

/** A plane whose tenant has limits and a record that can be replaced. */
function planeOf(limits: LimitPolicy[], record: TenantRecord) {
  const clock = new FakeClock(START_MS);
  // Like the relay: a new record replaces the old one.
  const tenants = [record];
  const apis: ApiRecord[] = [
    { key: 'url-shortener', unknownOperations: 'allow', operations: [{ name: 'createURL', cost: 1 }] },
  ];
  const plane = new TestPlane({ limits, apis, tenants, clock });
  return { plane, clock };
}

/** Burst or queue under a limit of `n` that was 8: 7 is scaled in proportion. */
function atOnce(kind: RuleKind, n: number): number {
  return kind === 'gcra' || kind === 'leaky_bucket' ? Math.floor((7 * n) / 8) + 1 : n;
}

async function use(plane: TestPlane, kind: RuleKind, units: number): Promise<void> {
  const calls = kind === 'concurrency' ? units : 1;
  for (let i = 0; i < calls; i++) {
    expect(await plane.limit({ ...ask, cost: units / calls })).toMatchObject({ success: true });
  }
}

describe('temporary changes of a limit', () => {
  it.each(KINDS.flatMap((kind) => RULES.map((rule) => [kind, rule] as const)))(
    '%s, %s: a boost starts and ends automatically, and usage follows each carry-over rule',
    async (kind, rule) => {
      const [beginsMs, endsMs] = [START_MS + HOUR_MS, START_MS + 2 * HOUR_MS];
      const record = recordOf({
        generation: 4,
        adjustments: [UPGRADE, BOOST],
        adjusted: [0],
        next: [
          { atMs: beginsMs, generation: 8, carryOver: rule, adjusted: [0, 1] },
          { atMs: endsMs, generation: 12, carryOver: rule, adjusted: [0] },
        ],
      });
      const { plane, clock } = planeOf([policyBy(LONG_RULES[kind](8))], record);
      const [upgraded, most] = [atOnce(kind, 12), atOnce(kind, 24)];
      await use(plane, kind, 9);
      const before = { limit: 12, used: 9, remaining: upgraded - 9, source: 'upgrade' };
      expect(await plane.peek(ask)).toMatchObject(before);
      clock.advanceMs(HOUR_MS - 1);
      expect(await plane.peek(ask)).toMatchObject({ limit: 12, used: 9 });
      clock.advanceMs(1);
      let used = usedAfter(kind, 9, { from: upgraded, to: most, most }, rule);
      const boosted = { limit: 24, used, remaining: most - used, source: 'boost' };
      expect(await plane.peek(ask)).toMatchObject(boosted);
      // The maximum: more than is left when the boost ends.
      await use(plane, kind, most - used);
      used = most;
      clock.advanceMs(HOUR_MS);
      used = usedAfter(kind, used, { from: most, to: upgraded, most: upgraded }, rule);
      expect(await plane.peek(ask)).toMatchObject({
        limit: 12,
        used,
        remaining: Math.max(0, upgraded - used),
        source: 'upgrade',
      });
      const after = await plane.limit(ask);
      expect(after.success).toBe(used < upgraded);
      await plane.close();
    },
  );

  it('a raised GCRA limit admits at once, and after it is lowered the old spacing has no effect', async () => {
    const record = recordOf({
      generation: 4,
      adjustments: [{ ...UPGRADE, effect: { kind: 'multiply', percent: 10_000 } }],
      next: [
        { atMs: START_MS + 1000, generation: 8, carryOver: 'keep', adjusted: [0] },
        { atMs: START_MS + 2000, generation: 12, carryOver: 'keep' },
      ],
    });
    const { plane, clock } = planeOf([gcraPolicy({ limit: 2, windowMs: HOUR_MS, burst: 1 })], record);
    await plane.limit({ ...ask, cost: 2 });
    expect(await plane.limit(ask)).toMatchObject({ success: false, limit: 2 });
    clock.advanceMs(1000);
    // Two of 200 are used; under the old spacing, all of them would be.
    expect(await plane.peek(ask)).toMatchObject({ limit: 200, used: 2 });
    expect((await plane.limit({ ...ask, cost: 50 })).success).toBe(true);
    clock.advanceMs(1000);
    expect(await plane.peek(ask)).toMatchObject({ limit: 2, used: 2, remaining: 0, source: 'tier' });
    await plane.close();
  });

  it('an override is the source of the limit, with its path in GET /v1/limits', async () => {
    const record = recordOf({ adjustments: [UPGRADE, LOWER], adjusted: [0, 1] });
    const { plane } = planeOf([policyBy(LONG_RULES.fixed_window(8))], record);
    expect(await plane.limit(ask)).toMatchObject({ limit: 4, remaining: 3, source: 'override' });
    const { limits } = await plane.limitsOf('acme', 'url-shortener');
    expect(limits).toMatchObject([
      {
        policy: { limit: 4 },
        source: 'override',
        provenance: [
          { source: 'upgrade', id: 'ent_1', from: 8, to: 12 },
          { source: 'override', id: 'ovr_2', from: 12, to: 4 },
        ],
      },
    ]);
    await plane.close();
  });
});

describe('nodes with different clocks or records', () => {
  const limits = [policyBy(LONG_RULES.fixed_window(10)), gcraPolicy({ name: 'rate', limit: 60, burst: 59 })];
  const catalogue = CompiledCatalogue.compile(
    JSON.stringify({
      kind: 'catalogue',
      revision: 1,
      apis: [
        { key: 'url-shortener', unknownOperations: 'allow', operations: [{ name: 'createURL', cost: 1 }] },
      ],
      tiers: [{ key: 'test', currentVersion: 1, versions: [{ number: 1, limits }] }],
      serviceTokens: [],
    }),
  );
  const planned = (rule: CarryOver) =>
    recordOf({
      adjustments: [{ ...UPGRADE, effect: { kind: 'multiply', percent: 200 } }],
      next: [{ atMs: START_MS, generation: 4, carryOver: rule, adjusted: [0] }],
    });
  /** As written by the control plane after the change has taken effect. */
  const settled = (rule: CarryOver) =>
    recordOf({
      generation: 4,
      adjustments: [{ ...UPGRADE, effect: { kind: 'multiply', percent: 200 } }],
      adjusted: [0],
      moves: [{ tier: 'test', version: 1, generation: 0, carryOver: rule, atMs: START_MS }],
    });
  const policyAt = (record: TenantRecord, nowMs: number, place: number) => {
    const limit = catalogue.policyOf(record, () => nowMs)?.operation('url-shortener', 'createURL')?.limits[
      place
    ];
    if (limit === undefined) throw new Error('missing limit');
    return limit.policy(nowMs, 'enforce');
  };

  it('decisions are the same before and after the control plane has recorded that the change took effect', () => {
    for (const rule of RULES) {
      const [a, b] = [planned(rule), settled(rule)].map((record) => policyAt(record, START_MS + 5, 0));
      expect(a?.wire).toEqual(b?.wire);
      expect(a?.id).toBe(5);
    }
  });

  it.each(RULES)('%s: a change is carried over once, regardless of which node applies it first', (rule) => {
    for (const place of [0, 1]) {
      const nowMs = START_MS + 1;
      const store = new MemoryStore({ clockUs: () => nowMs * 1000 });
      // One node has a slow clock.
      const late = policyAt(planned(rule), START_MS - 1, place);
      const inTime = policyAt(planned(rule), nowMs, place);
      const decide = (policy: typeof late, cost: number) =>
        store.chargeNow({ checks: [{ key: 'k', policy, cost }], peek: cost === 0 });
      const most = inTime.capacity;
      const before = late.capacity;
      decide(late, before);
      const usedNow = () => most - (decide(inTime, 0).checks[0]?.remaining ?? 0);
      const carried = { keep: before, reset: 0, proportional: most, additive: before }[rule];
      expect(usedNow()).toBe(carried);
      let passed = 0;
      for (let i = 0; i < 400; i++) if (decide(i % 2 === 0 ? inTime : late, 1).allowed) passed++;
      // For a rate, the late node charges by the longer spacing that it still uses.
      expect(passed).toBeLessThanOrEqual(most - carried);
      if (place === 0) expect(passed).toBe(most - carried);
    }
  });

  it('tenants with the same adjustments share the results, regardless of adjustment names', () => {
    const of = (tenant: string, id: string, over: Partial<TenantRecord> = {}) =>
      catalogue.policyOf(
        recordOf({ tenant, adjustments: [{ ...UPGRADE, id }], adjusted: [0], ...over }),
        () => START_MS,
      );
    expect(of('acme', 'ent_1')).toBe(of('globex', 'ent_2'));
    expect(of('acme', 'ent_1')).not.toBe(of('acme', 'ent_1', { adjusted: [] }));
  });

  it('an index without an adjustment has no effect', () => {
    expect(policyAt(recordOf({ adjusted: [0, 3] }), START_MS, 0).capacity).toBe(10);
  });

  it('a limit on all tenants together follows the tier, not the earlier tier of a tenant', () => {
    const global = policyBy(LONG_RULES.gcra(10), { per: ['global'] });
    const { plane } = planeOf(
      [global],
      recordOf({
        generation: 4,
        adjustments: [UPGRADE],
        adjusted: [0],
        moves: [{ tier: 'test', version: 1, generation: 0, carryOver: 'reset', atMs: START_MS - 1000 }],
      }),
    );
    return plane.limit({ ...ask, cost: 7 }).then(async () => {
      expect(await plane.peek(ask)).toMatchObject({ limit: 10, used: 7, source: 'tier' });
      await plane.close();
    });
  });
});
