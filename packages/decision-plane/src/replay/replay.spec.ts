import type { LimitPolicy } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, gcraPolicy, policyBy } from '../../test/policies.js';
import { KINDS, policiesOf } from '../../test/policy-arbitraries.js';
import { FILES, recordingTraffic, SITE, sitePolicy, tenantOf } from '../../test/recorded-traffic.js';
import { HEADER } from '../../test/traffic-arbitraries.js';
import { MemoryNode } from '../api/replay-node.js';
import { TestPolicies } from '../testing/test-plane.js';
import { BlockBuilder, TRAFFIC_FLAGS, type TrafficBlock } from '../traffic/block.js';
import { type ReplayOptions, replayTraffic, TrafficReplay } from './replay.js';

const START_US = Date.UTC(2026, 10, 1, 10) * 1000;
const TENANTS = ['acme', 'globex'];

const limitsOfSite = fc
  .array(
    fc.record({
      policy: fc
        .constantFrom(...KINDS.filter((kind) => kind !== 'concurrency'))
        .chain((kind) => policiesOf(kind)),
      per: fc.constantFrom<string[][]>(['user'], [], ['ip', 'user'], ['global'], ['global', 'user']),
      operations: fc.constantFrom<string[][]>([], ['read']),
      onMissing: fc.constantFrom(undefined, 'skip' as const),
      enforcement: fc.constantFrom(
        undefined,
        { mode: 'shadow' as const },
        { mode: 'percent' as const, percent: 50 },
      ),
      blocks: fc.constantFrom(false, false, false, true),
      alsoApis: fc.constantFrom<(string[] | undefined)[]>(undefined, undefined, ['files'], ['*']),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((list) =>
    list.map(({ policy, onMissing, enforcement, blocks, alsoApis, ...over }, i): LimitPolicy => {
      if (alsoApis !== undefined) over.operations = [];
      const limit = {
        ...policy,
        ...over,
        ...(alsoApis && { alsoApis }),
        name: `limit-${i}`,
        api: 'site',
        ...(blocks && { limit: 0 }),
      };
      return { ...limit, ...(onMissing && { onMissing }), ...(enforcement && { enforcement }) };
    }),
  );

const requests = fc.array(
  fc.record({
    afterUs: fc.oneof(fc.nat(1000), fc.nat(2_000_000), fc.nat(4_000_000_000)),
    tenant: fc.constantFrom(...TENANTS),
    api: fc.constantFrom('site', 'files'),
    operation: fc.constantFrom('read', 'write', 'unregistered'),
    user: fc.constantFrom(undefined, 'u1', 'u2'),
    cost: fc.constantFrom(undefined, undefined, 2),
  }),
  { maxLength: 60 },
);

/** Decisions of the tenant acme at these times, ms after the start, by user; imported. */
function imported(
  times: readonly (readonly [afterMs: number, user: string])[],
  resolutionUs = 1,
): TrafficBlock {
  const builder = new BlockBuilder();
  for (const [afterMs, user] of times) {
    const verdict = builder.verdictOf('no_limit', TRAFFIC_FLAGS.imported, null, 0);
    const subject = builder.subjectOf('acme', { user });
    builder.add(START_US + afterMs * 1000, subject, builder.operationOf('site', 'read'), 1, verdict);
  }
  return builder.build({ ...HEADER, resolutionUs });
}

const tenPerMinute = { api: 'site', name: 'per-minute', per: ['user'], limit: 10, windowMs: 60_000 };
const WINDOW = sitePolicy([fixedWindowPolicy(tenPerMinute)]);
const EXEMPT_USER = { id: 'sru_1', dimension: 'user', pattern: 'u1', effect: { kind: 'exempt' } } as const;
const SPACED = sitePolicy([gcraPolicy({ ...tenPerMinute, burst: 0 })]);

describe('replay', () => {
  it('decides like an engine, for every kind of limit', async () => {
    await fc.assert(
      fc.asyncProperty(limitsOfSite, requests, async (limits, list) => {
        let nowUs = START_US;
        const { traffic, blocks } = recordingTraffic('n1');
        const policies = new TestPolicies({
          limits,
          apis: [SITE, FILES],
          tenants: TENANTS.map((key) => tenantOf(key)),
        });
        const node = new MemoryNode({ nodeId: 'n1', epoch: 'e', policies, traffic, clockUs: () => nowUs });
        for (const { afterUs, tenant, api, operation, user, cost } of list) {
          nowUs += afterUs;
          const subject = user === undefined ? { ip: '192.0.2.1' } : { user, ip: '192.0.2.1' };
          await node.engine.limit({ tenant, api, operation, subject, ...(cost && { cost }) });
        }
        await node.engine.close();
        const policy = sitePolicy(limits, TENANTS);
        const result = replayTraffic(await blocks(), { live: [policy], draft: policy });
        expect(result.calibration?.mismatches ?? 0).toBe(0);
        expect(result).toMatchObject({
          decisions: list.length,
          covered: list.length,
          newlyDenied: 0,
          newlyAllowed: 0,
        });
      }),
      { numRuns: 30 },
    );
  });

  it('denies eight of nine quick requests when a fixed window becomes GCRA with burst 0', () => {
    const quick = Array.from({ length: 9 }, (_, n) => [n * 100, 'u1'] as const);
    const result = replayTraffic([imported(quick)], { live: [WINDOW], draft: SPACED });
    expect(result).toMatchObject({
      decisions: 9,
      covered: 9,
      calibration: null,
      baseline: 'live',
      baselineDenied: 0,
      draftDenied: 8,
      newlyDenied: 8,
      newlyDeniedUnits: 8,
      subjects: 1,
      newlyDeniedSubjects: 1,
      newlyDeniedTenants: 1,
      limits: [
        {
          ...{ api: 'site', limit: 'per-minute', decisions: 9, baselineDenied: 0, draftDenied: 8 },
          ...{ newlyDenied: 8, newlyDeniedUnits: 8 },
        },
      ],
      deniedUnits: [{ api: 'site', limit: 'per-minute', isQuota: false, units: 8 }],
      minutes: [{ atMs: START_US / 1000, decisions: 9, baselineDenied: 0, draftDenied: 8 }],
    });
    expect(result.tenants).toMatchObject([{ tenant: 'acme', newlyDenied: 8, newlyAllowed: 0 }]);
    expect(result.tenants[0]?.examples).toHaveLength(3);
    expect(result.tenants[0]?.examples[0]).toEqual({
      atMs: START_US / 1000 + 100,
      api: 'site',
      operation: 'read',
      subject: { user: '=u1' },
      cost: 1,
      limit: 'per-minute',
      retryAfter: 6,
    });
  });

  it('counts requests that only the draft allows', () => {
    const quick = Array.from({ length: 9 }, (_, n) => [n * 100, 'u1'] as const);
    const result = replayTraffic([imported(quick)], { live: [SPACED], draft: WINDOW });
    expect(result).toMatchObject({ baselineDenied: 8, draftDenied: 0, newlyDenied: 0, newlyAllowed: 8 });
  });

  it('charges counters during the warm-up without counting the decisions', () => {
    const block = imported(Array.from({ length: 12 }, (_, n) => [n * 1000, 'u1'] as const));
    const result = replayTraffic([block], { draft: WINDOW, warmUpMs: 10_000 });
    expect(result).toMatchObject({ warmUp: 10, decisions: 2, draftDenied: 2, baseline: 'none' });
  });

  it('spreads requests of a coarse clock evenly over a tick', () => {
    const everySixSeconds = sitePolicy([gcraPolicy({ ...tenPerMinute, limit: 120, windowMs: 60_000 })]);
    const block = imported(
      [0, 0, 1000, 1000].map((at) => [at, 'u1'] as const),
      1_000_000,
    );
    const deniedBy = (isSpread: boolean) =>
      replayTraffic([block], { draft: everySixSeconds, isSpread }).draftDenied;
    expect([deniedBy(false), deniedBy(true)]).toEqual([2, 0]);
  });

  it('merges blocks of several nodes in order of time', () => {
    const first = { ...imported([0, 2000, 4000].map((at) => [at, 'u1'] as const)), node: 'n1' };
    const second = { ...imported([1000, 3000, 5000].map((at) => [at, 'u1'] as const)), node: 'n2' };
    const limit = gcraPolicy({ ...tenPerMinute, limit: 1, windowMs: 2000 });
    const result = replayTraffic([first, second], { draft: sitePolicy([limit]) });
    expect(result.draftDenied).toBe(3);
    expect(() => replayTraffic([second, first], { draft: SPACED })).toThrow(RangeError);
  });

  it('counts the decisions of a range, after those before it have charged counters', () => {
    const block = imported(Array.from({ length: 13 }, (_, n) => [n * 1000, 'u1'] as const));
    const range = { fromUs: START_US + 9_000_000, toUs: START_US + 12_000_000 };
    const result = replayTraffic([block], { draft: WINDOW, range });
    expect(result).toMatchObject({ warmUp: 9, decisions: 3, draftDenied: 2 });
  });

  it('decides tenants one after another', () => {
    const range = { fromUs: START_US, toUs: Number.POSITIVE_INFINITY };
    const replay = new TrafficReplay({ draft: SPACED, live: [WINDOW], range });
    for (const startMs of [60_000, 0]) {
      replay.add(imported([0, 100].map((at) => [startMs + at, `u${startMs}`] as const)));
      replay.end();
    }
    const { fromMs, toMs, minutes, newlyDenied } = replay.result();
    expect({ fromMs, toMs, newlyDenied }).toEqual({
      fromMs: START_US / 1000,
      toMs: START_US / 1000 + 60_100,
      newlyDenied: 2,
    });
    expect(minutes.map(({ atMs }) => atMs - START_US / 1000)).toEqual([0, 60_000]);
  });

  it('does not cover recorded denials by a limit whose window is longer than the recording', () => {
    const builder = new BlockBuilder();
    const verdict = builder.verdictOf('denied', 0, 'per-minute', 1);
    const subject = builder.subjectOf('acme', { user: 'u1' });
    builder.add(START_US, subject, builder.operationOf('site', 'read'), 1, verdict);
    const block = builder.build(HEADER);
    const options = { live: [WINDOW], draft: WINDOW };
    expect(replayTraffic([block], options).calibration).toMatchObject({ mismatches: 1 });
    const result = replayTraffic([block], { ...options, notWarm: ['site/per-minute'] });
    expect(result).toMatchObject({
      calibration: null,
      uncovered: [{ reason: 'cold window', decisions: 1 }],
    });
  });

  it('compares the draft with the present policy, if it is another than the recorded one', () => {
    const quick = imported(Array.from({ length: 9 }, (_, n) => [n * 100, 'u1'] as const));
    const result = replayTraffic([quick], { live: [WINDOW], present: SPACED, draft: SPACED });
    expect(result).toMatchObject({ baselineDenied: 8, draftDenied: 8, newlyDenied: 0 });
  });

  it('reports missing blocks, dropped decisions and the mismatch of a policy that was not in force', () => {
    const builder = new BlockBuilder();
    for (let n = 0; n < 4; n++) {
      const verdict = builder.verdictOf('allowed', 0, 'per-minute', 1);
      builder.add(
        START_US + n,
        builder.subjectOf('acme', { user: 'u1' }),
        builder.operationOf('site', 'read'),
        1,
        verdict,
      );
    }
    const block = builder.build({ ...HEADER, sequence: 3, dropped: 5 });
    const later = { ...block, sequence: 6, dropped: 0 };
    const result = replayTraffic([block, later], { live: [SPACED], draft: SPACED });
    expect(result).toMatchObject({ missingBlocks: 2, dropped: 5, baselineDenied: 7 });
    expect(result.calibration).toEqual({
      compared: 8,
      mismatches: 7,
      otherLimits: 0,
      share: 7 / 8,
      isReliable: false,
    });
  });

  it.each([
    ['degraded', 'degraded_allowed', 0, {}],
    ['pool', 'pool_denied', 0, {}],
    ['leased', 'allowed', TRAFFIC_FLAGS.leased, {}],
    ['receipt', 'allowed', TRAFFIC_FLAGS.receipt, {}],
    ['together', 'denied', TRAFFIC_FLAGS.together, {}],
    ['leased', 'allowed', 0, { consistency: { mode: 'leased', leaseMs: 100 } }],
    ['charge by outcome', 'allowed', 0, { charge: 'on_failure' }],
    ['subject rules', 'allowed', 0, { subjectRules: [EXEMPT_USER] }],
    ['unknown tenant', 'allowed', 0, { tenant: 'globex' }],
    ['unknown API', 'allowed', 0, { api: 'other' }],
  ] as const)('lists decisions as not covered: %s (%s)', (reason, outcome, flags, change) => {
    const {
      tenant = 'acme',
      api = 'site',
      subjectRules,
      ...over
    } = { tenant: undefined, api: undefined, subjectRules: undefined, ...change };
    const builder = new BlockBuilder();
    const verdict = builder.verdictOf(outcome, flags, null, 1);
    builder.add(
      START_US,
      builder.subjectOf(tenant, { user: 'u1' }),
      builder.operationOf(api, 'read'),
      1,
      verdict,
    );
    const site = sitePolicy([fixedWindowPolicy({ ...tenPerMinute, ...over })]);
    const tenants = [tenantOf('acme', subjectRules && { subjectRules: [...subjectRules] })];
    const policy = { ...site, tenants };
    const result = replayTraffic([builder.build(HEADER)], { live: [policy], draft: policy });
    expect(result).toMatchObject({
      decisions: 1,
      covered: 0,
      uncovered: [{ reason, decisions: 1 }],
      calibration: null,
    });
  });

  it('begins with known usage of a quota', () => {
    const limit = policyBy(
      { algorithm: 'quota', limit: 10, period: 'month' },
      { api: 'site', name: 'per-month' },
    );
    const draft = sitePolicy([limit]);
    const startUsage = [{ key: '{acme}:q1:site:per-month', periodEndMs: Date.UTC(2026, 11, 1), used: 9 }];
    const block = imported([0, 1, 2].map((at) => [at, 'u1'] as const));
    const deniedWith = (options: Partial<ReplayOptions>) =>
      replayTraffic([block], { draft, ...options }).draftDenied;
    expect(deniedWith({ startUsage })).toBe(2);
    expect(deniedWith({ startUsage: startUsage.map((usage) => ({ ...usage, periodEndMs: 0 })) })).toBe(0);
  });

  it('fails above the maximum of counters', () => {
    const block = imported([0, 1, 2].map((at) => [at, `u${at}`] as const));
    expect(() => replayTraffic([block], { draft: WINDOW, maxCounters: 2 })).toThrow(RangeError);
  });
});
