import { createHash } from 'node:crypto';
import { isBlocking, type LimitPolicy, type SubjectRule, type TenantRecord } from '@tollgate/contracts';
import { dimensionValue } from '@tollgate/limiter/rules';
import {
  BlockBuilder,
  type NamedHash,
  NamedValues,
  type ReplayOptions,
  type ReplayPolicy,
  replayTraffic,
  TRAFFIC_FLAGS,
  type TrafficBlock,
  TrafficReplay,
} from '@tollgate/replay';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, gcraPolicy, policyBy } from '../../limiter/test/policies.js';
import { KINDS, policiesOf } from '../../limiter/test/policy-arbitraries.js';
import { HEADER } from '../../replay/test/traffic-arbitraries.js';
import { MemoryNode } from '../src/api/replay-node.js';
import { TestPolicies } from '../src/testing/test-plane.js';
import { FILES, recordingTraffic, SITE, sitePolicy, tenantOf } from './recorded-traffic.js';

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
      others: fc.constantFrom(undefined, undefined, 'none', 0, 1),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((list) =>
    list.map(({ policy, onMissing, enforcement, blocks, alsoApis, others, ...over }, i): LimitPolicy => {
      if (alsoApis !== undefined) over.operations = [];
      const limit = {
        ...policy,
        ...over,
        ...(alsoApis && { alsoApis }),
        name: `limit-${i}`,
        api: 'site',
        ...(blocks && { limit: 0 }),
        ...(others !== undefined && canHaveAmounts(policy) && !blocks && amountsOf(policy, others)),
      };
      return { ...limit, ...(onMissing && { onMissing }), ...(enforcement && { enforcement }) };
    }),
  );

function canHaveAmounts({ storage = 'key', penalty, throttle, consistency }: LimitPolicy): boolean {
  return (
    storage === 'key' &&
    penalty === undefined &&
    throttle?.mode !== 'elastic' &&
    consistency?.mode !== 'leased'
  );
}

function amountsOf({ limit }: LimitPolicy, others: number | string): Pick<LimitPolicy, 'amounts'> {
  const labels = [
    { label: 'eu', limit: 1 },
    { label: 'us', limit },
  ];
  return { amounts: { by: 'region', labels, ...(typeof others === 'number' && { others }) } };
}

/** Rules that begin and end while requests are sent. */
const rules = fc.array(
  fc.record({
    value: fc.constantFrom(
      ['user', 'u1'],
      ['user', 'u2'],
      ['user', 'u*'],
      ['user', 'vip user 3'],
      ['user', 'vip*'],
      ['region', 'eu'],
      ['ip', '192.0.2.1'],
      ['ip', '192.0.2.0/24'],
      ['ip', '2001:db8::/64'],
      ['ip', '2001:db8::1'],
    ),
    effect: fc.constantFrom<SubjectRule['effect'][]>(
      { kind: 'deny' },
      { kind: 'exempt' },
      { kind: 'set', limit: 3 },
      { kind: 'multiply', percent: 300 },
    ),
    limit: fc.constantFrom(undefined, 'limit-0', 'limit-1'),
    api: fc.constantFrom(undefined, 'site', 'files'),
    fromMs: fc.constantFrom(undefined, 0, 60_000),
    forMs: fc.constantFrom(undefined, 30_000, 600_000),
  }),
  { maxLength: 4 },
);

/** The rules of those that fit together; a change is of a limit that counts by the dimension. */
function rulesFor(
  limits: readonly LimitPolicy[],
  list: typeof rules extends fc.Arbitrary<infer T> ? T : never,
) {
  return list.flatMap(
    ({ value: [dimension = '', pattern = ''], effect, fromMs, forMs, ...rest }, i): SubjectRule[] => {
      const isChange = effect.kind === 'set' || effect.kind === 'multiply';
      const limit = effect.kind === 'deny' ? undefined : (rest.limit ?? (isChange ? 'limit-0' : undefined));
      const changed = limits.find(({ name }) => name === limit);
      const cannotChange = changed === undefined || isBlocking(changed) || changed.per[0] === 'global';
      if (limit !== undefined && changed === undefined) return [];
      if (isChange && (cannotChange || !changed.per.includes(dimension))) return [];
      const api = limit === undefined ? rest.api : 'site';
      const startMs = START_US / 1000 + (fromMs ?? 0);
      return [
        {
          ...{ id: `sru_${i}`, dimension, pattern, effect },
          ...(api !== undefined && { api }),
          ...(limit !== undefined && { limit }),
          ...(fromMs !== undefined && { fromMs: startMs }),
          ...(forMs !== undefined && { untilMs: startMs + forMs }),
        },
      ];
    },
  );
}

const requests = fc.array(
  fc.record({
    afterUs: fc.oneof(fc.nat(1000), fc.nat(2_000_000), fc.nat(4_000_000_000)),
    tenant: fc.constantFrom(...TENANTS),
    api: fc.constantFrom('site', 'files'),
    operation: fc.constantFrom('read', 'write', 'unregistered'),
    user: fc.constantFrom(undefined, 'u1', 'u2', 'vip user 3', 'guest 4'),
    ip: fc.constantFrom(
      '192.0.2.1',
      '192.0.2.1',
      '192.0.2.77',
      '2001:db8::1',
      '2001:db8::2',
      '2001:db8:0:7::1',
    ),
    region: fc.constantFrom(undefined, 'eu', 'us', 'ap'),
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
const SPACED = sitePolicy([gcraPolicy({ ...tenPerMinute, burst: 0 })]);

const MAY_BE_UNCOVERED = new Set(['subject rules', 'partial enforcement', 'values across tenants']);

type Sent = typeof requests extends fc.Arbitrary<infer T> ? T : never;

/** Requests, decided by an engine. @returns its recorded blocks */
async function decided(
  limits: readonly LimitPolicy[],
  tenants: TenantRecord[],
  list: Sent,
): Promise<TrafficBlock[]> {
  let nowUs = START_US;
  const { traffic, blocks } = recordingTraffic('n1');
  const policies = new TestPolicies({ limits: [...limits], apis: [SITE, FILES], tenants });
  const node = new MemoryNode({ nodeId: 'n1', epoch: 'e', policies, traffic, clockUs: () => nowUs });
  for (const { afterUs, tenant, api, operation, user, ip, region, cost } of list) {
    nowUs += afterUs;
    const subject = { ip, ...(user !== undefined && { user }), ...(region !== undefined && { region }) };
    await node.engine.limit({ tenant, api, operation, subject, ...(cost && { cost }) });
  }
  await node.engine.close();
  return blocks();
}

const hashOf = (tenant: string, dimension: string, written: string) =>
  createHash('sha256').update(`${tenant}/${dimension}/${written}`).digest('base64url').slice(0, 8);

/** As stored: values are hashes. */
function hashed(block: TrafficBlock): TrafficBlock {
  const subjects = block.subjects.map(({ tenant, values }) => ({
    tenant,
    values: values.map(([dimension, value]) => [dimension, hashOf(tenant, dimension, value)] as const),
  }));
  return { ...block, subjects };
}

function hashesFor(policies: readonly ReplayPolicy[]): Map<string, NamedHash[]> {
  const named = new NamedValues(policies);
  return new Map(
    TENANTS.map((tenant) => [
      tenant,
      named.of(tenant).map(({ dimension, value }) => ({
        ...{ dimension, value },
        hash: hashOf(tenant, dimension, dimensionValue(dimension, value) ?? ''),
      })),
    ]),
  );
}

describe('replay', () => {
  it.each([
    ['values as sent', false],
    ['keyed hashes', true],
  ])('decides like an engine, for every kind of limit and subject rule: %s', async (_, isHashed) => {
    let covered = 0;
    let all = 0;
    await fc.assert(
      fc.asyncProperty(limitsOfSite, rules, requests, async (limits, list, sent) => {
        const subjectRules = rulesFor(limits, list);
        const tenants = TENANTS.map((key) =>
          tenantOf(key, key === 'acme' && subjectRules.length > 0 ? { subjectRules } : {}),
        );
        const blocks = await decided(limits, tenants, sent);
        const policy = { ...sitePolicy(limits), tenants };
        const options = { live: [policy], draft: policy };
        const result = isHashed
          ? replayTraffic(blocks.map(hashed), { ...options, isHashed, hashes: hashesFor([policy]) })
          : replayTraffic(blocks, options);
        expect(result.calibration?.mismatches ?? 0).toBe(0);
        expect(result).toMatchObject({ decisions: sent.length, newlyDenied: 0, newlyAllowed: 0 });
        const reasons = new Set(result.uncovered.map(({ reason }) => reason));
        expect([...reasons].filter((reason) => !MAY_BE_UNCOVERED.has(reason))).toEqual([]);
        const hasPatterns = subjectRules.some(({ pattern }) => /[*]|\/24|::1$/.test(pattern));
        if (!hasPatterns && !isHashed) expect(result.covered).toBe(sent.length);
        covered += result.covered;
        all += sent.length;
      }),
      { numRuns: 30 },
    );
    expect(covered / all).toBeGreaterThan(isHashed ? 0.25 : 0.8);
  });

  it.each<[string, SubjectRule['effect'], Sent[number]['ip'], number]>([
    ['denied by', { kind: 'deny' }, '2001:db8::2', 0],
    ['exempt by', { kind: 'exempt' }, '2001:db8::2', 0],
    ['counted despite', { kind: 'deny' }, '2001:db8::1', 1],
  ])('charges as recorded a request that is %s a rule for an IPv6 address', async (_, effect, ip, denied) => {
    const limits = [fixedWindowPolicy({ ...tenPerMinute, per: [], limit: 1 })];
    const rule = { id: 'sru_1', dimension: 'ip', pattern: '2001:db8::2', effect };
    const tenants = [tenantOf('acme', { subjectRules: [rule] })];
    const request = { afterUs: 0, tenant: 'acme', user: undefined, region: undefined, cost: undefined };
    const sentBy = (of: typeof ip) => ({ ...request, api: 'site', operation: 'read', ip: of }) as const;
    const blocks = await decided(limits, tenants, [sentBy(ip), sentBy('192.0.2.1')]);
    const policy = { ...sitePolicy(limits), tenants };
    const result = replayTraffic(blocks, { live: [policy], draft: policy });
    expect(result).toMatchObject({
      covered: 1,
      calibration: { compared: 1, mismatches: 0 },
      draftDenied: denied,
      uncovered: [{ reason: 'subject rules', decisions: 1 }],
    });
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

  it('does not cover decisions of a revision before the first known one', () => {
    const builder = new BlockBuilder();
    for (const revision of [1, 2]) {
      const verdict = builder.verdictOf('allowed', 0, 'per-minute', revision);
      const subject = builder.subjectOf('acme', { user: 'u1' });
      builder.add(START_US + revision, subject, builder.operationOf('site', 'read'), 1, verdict);
    }
    const options = { live: [WINDOW], draft: WINDOW, liveSince: 2 };
    const { covered, uncovered } = replayTraffic([builder.build(HEADER)], options);
    expect({ covered, uncovered }).toEqual({
      covered: 1,
      uncovered: [{ reason: 'earlier policy', decisions: 1 }],
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
    ['unknown tenant', 'allowed', 0, { tenant: 'globex' }],
    ['unknown API', 'allowed', 0, { api: 'other' }],
  ] as const)('lists decisions as not covered: %s (%s)', (reason, outcome, flags, change) => {
    const { tenant = 'acme', api = 'site', ...over } = { tenant: undefined, api: undefined, ...change };
    const builder = new BlockBuilder();
    const verdict = builder.verdictOf(outcome, flags, null, 1);
    builder.add(
      START_US,
      builder.subjectOf(tenant, { user: 'u1' }),
      builder.operationOf(api, 'read'),
      1,
      verdict,
    );
    const policy = sitePolicy([fixedWindowPolicy({ ...tenPerMinute, ...over })]);
    const result = replayTraffic([builder.build(HEADER)], { live: [policy], draft: policy });
    expect(result).toMatchObject({
      decisions: 1,
      covered: 0,
      uncovered: [{ reason, decisions: 1 }],
      calibration: null,
    });
  });

  describe('of a recording with keyed hashes', () => {
    const rule = (dimension: string, pattern: string, over: Partial<SubjectRule> = {}): SubjectRule => ({
      ...{ id: 'sru_1', dimension, pattern, effect: { kind: 'deny' } },
      ...over,
    });
    const labeled = fixedWindowPolicy({
      ...{ ...tenPerMinute, per: [] },
      amounts: { by: 'region', labels: [{ label: 'eu', limit: 2 }] },
    });

    /** Reasons why a request is not covered, with a draft. */
    function uncoveredBy(
      subject: Record<string, string>,
      draft: { rules?: SubjectRule[]; limits?: LimitPolicy[]; areKnown?: boolean },
    ) {
      const { rules: subjectRules = [], limits = [fixedWindowPolicy(tenPerMinute)], areKnown = true } = draft;
      const tenants = [tenantOf('acme', subjectRules.length > 0 ? { subjectRules } : {})];
      const policy = { ...sitePolicy(limits), tenants };
      const builder = new BlockBuilder();
      const verdict = builder.verdictOf('no_limit', TRAFFIC_FLAGS.imported, null, 0);
      builder.add(
        START_US,
        builder.subjectOf('acme', subject),
        builder.operationOf('site', 'read'),
        1,
        verdict,
      );
      const { uncovered } = replayTraffic([hashed(builder.build(HEADER))], {
        ...{ draft: policy, isHashed: true },
        ...(areKnown && { hashes: hashesFor([policy]) }),
      });
      return uncovered.map(({ reason }) => reason);
    }

    it.each([
      ['an exact value', { user: 'u2' }, rule('user', 'u1'), []],
      ['a prefix', { user: 'x' }, rule('user', 'u*'), ['subject rules']],
      ['a prefix of another dimension', { region: 'eu' }, rule('user', 'u*'), []],
      ['a prefix of a value that another rule denies', { user: 'u1' }, rule('user', 'u*'), ['subject rules']],
      ['a prefix in another API', { user: 'u1' }, rule('user', 'u*', { api: 'files' }), []],
      ['a prefix later', { user: 'u1' }, rule('user', 'u*', { fromMs: START_US / 1000 + 1 }), []],
      ['an address', { ip: '192.0.2.7' }, rule('ip', '192.0.2.1'), []],
      ['a network', { ip: '192.0.2.7' }, rule('ip', '192.0.2.0/24'), ['subject rules']],
      ['a /64', { ip: '2001:db8::7' }, rule('ip', '2001:db8:0:1::/64'), []],
      ['an address of the same /64', { ip: '2001:db8::7' }, rule('ip', '2001:db8::1'), ['subject rules']],
      ['an address of another /64', { ip: '2001:db8::7' }, rule('ip', '2001:db8:0:1::1'), []],
    ])('covers requests unless a rule may apply that cannot be matched: %s', (_, subject, one, expected) => {
      expect(uncoveredBy(subject as Record<string, string>, { rules: [one] })).toEqual(expected);
    });

    it('covers a request that an exact rule denies, whatever other rules there are', () => {
      const rules = [rule('user', 'u1'), rule('user', 'u*', { id: 'sru_2', effect: { kind: 'exempt' } })];
      expect(uncoveredBy({ user: 'u1' }, { rules })).toEqual([]);
      expect(uncoveredBy({ user: 'u2' }, { rules })).toEqual(['subject rules']);
    });

    it('does not cover values whose hashes are not known', () => {
      expect(uncoveredBy({ user: 'u2' }, { rules: [rule('user', 'u1')], areKnown: false })).toEqual([
        'subject rules',
      ]);
      expect(uncoveredBy({ region: 'eu' }, { limits: [labeled], areKnown: false })).toEqual([
        'amounts per label',
      ]);
      expect(uncoveredBy({ region: 'eu' }, { limits: [labeled] })).toEqual([]);
    });

    it('does not cover values that a limit counts over all tenants', () => {
      const limits = [fixedWindowPolicy({ ...tenPerMinute, per: ['global', 'user'] })];
      expect(uncoveredBy({ user: 'u1' }, { limits })).toEqual(['values across tenants']);
    });

    it('does not cover addresses counted by other networks', () => {
      const limits = [fixedWindowPolicy({ ...tenPerMinute, per: ['ip'], ipv4Prefix: 24 })];
      expect(uncoveredBy({ ip: '192.0.2.7' }, { limits })).toEqual(['address prefix']);
      expect(uncoveredBy({ user: 'u1' }, { limits })).toEqual([]);
    });
  });

  it('counts addresses of a log by the networks of a limit, except IPv6 beyond the /64 that is recorded', () => {
    const builder = new BlockBuilder();
    const ips = ['192.0.2.1', '192.0.2.2', '2001:db8:0:1::1', '2001:db8:0:2::1'];
    for (const [i, ip] of ips.entries()) {
      const verdict = builder.verdictOf('no_limit', TRAFFIC_FLAGS.imported, null, 0);
      const subject = builder.subjectOf('acme', { ip });
      builder.add(START_US + i, subject, builder.operationOf('site', 'read'), 1, verdict);
    }
    const block = builder.build(HEADER);
    const deniedBy = (prefixes: Pick<LimitPolicy, 'ipv4Prefix' | 'ipv6Prefix'>) => {
      const limit = fixedWindowPolicy({ ...tenPerMinute, per: ['ip'], limit: 1, ...prefixes });
      const { draftDenied, uncovered } = replayTraffic([block], { draft: sitePolicy([limit]) });
      return { draftDenied, uncovered };
    };
    expect(deniedBy({})).toEqual({ draftDenied: 0, uncovered: [] });
    expect(deniedBy({ ipv4Prefix: 24 })).toEqual({ draftDenied: 1, uncovered: [] });
    expect(deniedBy({ ipv4Prefix: 24, ipv6Prefix: 48 })).toEqual({ draftDenied: 2, uncovered: [] });
    expect(deniedBy({ ipv6Prefix: 128 }).uncovered).toEqual([{ reason: 'address prefix', decisions: 2 }]);
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
