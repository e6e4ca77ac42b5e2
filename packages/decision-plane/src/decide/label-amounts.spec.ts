import type { LabelAmounts, LimitPolicy, LimitRequest, SubjectRule } from '@tollgate/contracts';
import { compileLimit } from '@tollgate/limiter/rules';
import { FakeClock } from '@tollgate/limiter/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../../limiter/test/policies.js';
import { policiesOf, STEPS_MS } from '../../../limiter/test/policy-arbitraries.js';
import { HOUR_MS, OutageNode } from '../../test/outage-node.js';
import { tenantOf } from '../../test/recorded-traffic.js';
import { TestPlane, type TestPlaneOptions } from '../testing/test-plane.js';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 40);
const api = 'url-shortener';
const AMOUNTS: LabelAmounts = {
  by: 'region',
  labels: [
    { label: 'eu', limit: 3 },
    { label: 'us', limit: 4 },
  ],
  others: 2,
};
const withAmounts = (over: Partial<LimitPolicy> = {}) =>
  ({
    ...fixedWindowPolicy({ name: 'calls', limit: 6, windowMs: HOUR_MS, amounts: AMOUNTS }),
    ...over,
  }) as LimitPolicy;
const from = (region?: string, over: Partial<LimitRequest> = {}): LimitRequest => ({
  ...{ tenant: 'acme', api, operation: 'createURL', subject: region === undefined ? {} : { region } },
  ...over,
});
const planeOf = (limit: LimitPolicy, more: Partial<TestPlaneOptions> = {}) =>
  new TestPlane({ limits: [limit], ...more });

describe('a limit with amounts per label', () => {
  it('admits each label up to its amount, and all together up to the limit', async () => {
    const plane = planeOf(withAmounts());
    for (let i = 0; i < 3; i++) expect(await plane.limit(from('eu'))).toMatchObject({ success: true });
    expect(await plane.limit(from('eu'))).toMatchObject({
      ...{ success: false, reason: 'RATE_EXCEEDED', policy: 'calls', limit: 3, remaining: 0 },
      policies: [
        { name: 'calls', label: 'eu', limit: 3, success: false },
        { name: 'calls', limit: 6, remaining: 3, success: true },
      ],
    });
    for (let i = 0; i < 3; i++) expect(await plane.limit(from('us'))).toMatchObject({ success: true });
    const denied = await plane.limit(from('us'));
    expect(denied).toMatchObject({ success: false, limit: 6 });
    expect(denied.policies).toMatchObject([{ label: 'us', remaining: 1, success: true }, { success: false }]);
    expect(denied.policies[1]).not.toHaveProperty('label');
  });

  it('counts all labels without an amount together, and requests without a label', async () => {
    const plane = planeOf(withAmounts());
    expect(await plane.limit(from('asia'))).toMatchObject({ limit: 2, policies: [{ label: '*' }, {}] });
    expect(await plane.limit(from())).toMatchObject({ success: true, remaining: 0 });
    expect(await plane.limit(from('constructor'))).toMatchObject({ success: false, limit: 2 });
    expect(await plane.limit(from('eu'))).toMatchObject({ success: true });
  });

  it('denies them by 0, with the label, and applies only the limit to them without an amount', async () => {
    const denying = planeOf(withAmounts({ amounts: { ...AMOUNTS, others: 0 } }));
    expect(await denying.limit(from('asia'))).toMatchObject({
      ...{ success: false, reason: 'BLOCKED', policy: 'calls' },
      detail: 'Limit calls has no amount for region asia.',
    });
    expect(await denying.limit(from())).toMatchObject({
      detail: 'Limit calls has no amount without region.',
    });
    expect(await denying.limit(from('us'))).toMatchObject({ success: true, remaining: 3 });
    const { others: _, ...labels } = AMOUNTS;
    const open = planeOf(withAmounts({ amounts: labels }));
    const { policies } = await open.limit(from('asia', { cost: 6 }));
    expect(policies).toEqual([expect.objectContaining({ name: 'calls', limit: 6, remaining: 0 })]);
    expect(await open.limit(from('us'))).toMatchObject({ success: false, limit: 6 });
  });

  it('counts each label of each value that the limit counts by', async () => {
    const plane = planeOf(withAmounts({ per: ['user'], onMissing: 'skip' }));
    const by = (user: string, region: string) => from(region, { subject: { user, region }, cost: 3 });
    expect(await plane.limit(by('u1', 'eu'))).toMatchObject({ success: true });
    expect(await plane.limit(by('u1', 'eu'))).toMatchObject({ success: false });
    expect(await plane.limit(by('u2', 'eu'))).toMatchObject({ success: true });
    expect(await plane.limit(from('eu'))).toMatchObject({ reason: 'EXEMPT', policies: [] });
  });

  it('counts a request on both or on neither, and refunds both', async () => {
    const plane = planeOf(withAmounts());
    await plane.limit(from('eu', { cost: 4 }));
    expect((await plane.peek(from('us'))).policies).toMatchObject([{ remaining: 4 }, { remaining: 6 }]);
    await plane.limit(from('eu', { cost: 3 }));
    await plane.refund({ ...from('eu'), cost: 2 });
    expect((await plane.peek(from('eu'))).policies).toMatchObject([{ remaining: 2 }, { remaining: 5 }]);
    expect(await plane.limitTogether([from('eu', { cost: 2 }), from('us', { cost: 4 })])).toMatchObject([
      { success: false },
      { success: false },
    ]);
    expect((await plane.peek(from('us'))).policies).toMatchObject([{ remaining: 4 }, { remaining: 5 }]);
  });

  it('keeps the proportion of amounts when the tenant or a subject has another limit', async () => {
    const rule: SubjectRule = {
      ...{ id: 'r1', dimension: 'user', pattern: 'big', api, limit: 'calls' },
      effect: { kind: 'set', limit: 600 },
    };
    const tenant = tenantOf('acme', {
      adjustments: [{ id: 'o1', source: 'override', api, effect: { kind: 'multiply', percent: 200 } }],
      adjusted: [0],
      subjectRules: [rule],
    });
    const plane = planeOf(withAmounts({ per: ['user'] }), { tenants: [tenant] });
    const limits = async (user: string, region: string) =>
      (await plane.peek(from(region, { subject: { user, region } }))).policies.map(({ limit }) => limit);
    expect(await limits('u1', 'eu')).toEqual([6, 12]);
    expect(await limits('u1', 'asia')).toEqual([4, 12]);
    expect(await limits('big', 'us')).toEqual([400, 600]);
  });

  it('is lifted by a rule for a subject while an override blocks it', async () => {
    const tenant = tenantOf('acme', {
      adjustments: [{ id: 'o1', source: 'override', api, limit: 'calls', effect: { kind: 'set', limit: 0 } }],
      adjusted: [0],
      subjectRules: [
        {
          ...{ id: 'r1', dimension: 'user', pattern: 'big', api, limit: 'calls' },
          effect: { kind: 'set', limit: 3 },
        },
      ],
    });
    const plane = planeOf(withAmounts({ per: ['user'] }), { tenants: [tenant] });
    const by = (user: string) => from('us', { subject: { user, region: 'us' } });
    expect(await plane.limit(by('u1'))).toMatchObject({ success: false, reason: 'BLOCKED' });
    expect(await plane.limit(by('big'))).toMatchObject({ policies: [{ limit: 3 }, { limit: 3 }] });
  });

  it('counts only in shadow mode, and beside a candidate', async () => {
    const shadow = planeOf(withAmounts({ enforcement: { mode: 'shadow' } }));
    expect(await shadow.limit(from('eu', { cost: 5 }))).toMatchObject({ success: true, reason: 'SHADOW' });
    const candidate = { algorithm: 'gcra', limit: 6, windowMs: HOUR_MS, burst: 5 } as const;
    const trying = planeOf(withAmounts({ candidate }));
    expect((await trying.limit(from('eu'))).policies).toMatchObject([
      { label: 'eu', remaining: 2 },
      { mode: 'enforce', remaining: 5 },
      { mode: 'candidate', remaining: 5 },
    ]);
    expect(trying.takeUsage()).toMatchObject([{ limit: 'calls', count: 1, candidateCount: 1 }]);
  });

  it('reports crossings of the limit only', async () => {
    const plane = planeOf(withAmounts());
    await plane.limit(from('eu', { cost: 3 }));
    expect(plane.crossings).toEqual([]);
    await plane.limit(from('us', { cost: 2 }));
    expect(plane.crossings).toMatchObject([{ limit: 'calls', percent: 80, used: 5, capacity: 6 }]);
  });

  it('is decided by the share of each node while Redis is away', async () => {
    const node = new OutageNode({ limits: [withAmounts()] });
    node.store.isAway = true;
    const answers = [];
    for (const region of ['eu', 'eu', 'eu', 'eu', 'us', 'us', 'us', 'us'])
      answers.push(await node.engine.limit(from(region)));
    expect(answers.map(({ success }) => success)).toEqual([true, true, true, false, true, true, true, false]);
    await node.engine.close();
  });
});

describe('amounts and ordinary limits', () => {
  const ALGORITHMS = [
    'fixed_window',
    'sliding_window_log',
    'sliding_window_counter',
    'token_bucket',
    'leaky_bucket',
    'gcra',
    'quota',
  ] as const;

  /** The same rule as two ordinary limits: one for everything, one per region with the amount of each as its override. */
  function ordinary({ amounts: _, ...limit }: LimitPolicy, { labels, others }: LabelAmounts) {
    const rules = [...labels, { label: 'rest', limit: others ?? 0 }].map(
      (one, i): SubjectRule => ({
        ...{ id: `r${i}`, dimension: 'region', pattern: one.label, api, limit: 'part' },
        effect: { kind: 'set', limit: one.limit },
      }),
    );
    const part = { ...limit, name: 'part', per: ['region'] } as LimitPolicy;
    return { limits: [part, limit as LimitPolicy], tenants: [tenantOf('acme', { subjectRules: rules })] };
  }

  it('decide alike with every algorithm', async () => {
    const requests = fc.array(
      fc.record({
        region: fc.constantFrom('eu', 'us', 'asia', 'mars', undefined),
        cost: fc.constantFrom(1, 1, 1, 2, 5),
        moveMs: fc.oneof(fc.constant(0), fc.constantFrom(...STEPS_MS)),
      }),
      { minLength: 1, maxLength: 40 },
    );
    const amount = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ALGORITHMS).chain(policiesOf),
        fc.tuple(amount, amount, amount),
        requests,
        async (policy, amounts, sent) => {
          const [eu, us, others] = amounts.map((one) => Math.min(one, policy.limit)) as [
            number,
            number,
            number,
          ];
          const given: LabelAmounts = {
            ...{ by: 'region', others },
            labels: [
              { label: 'eu', limit: eu },
              { label: 'us', limit: us },
            ],
          };
          const limit = { ...policy, api, name: 'calls', per: [], amounts: given } as LimitPolicy;
          fc.pre(
            compileLimit(limit).ok &&
              limit.throttle?.mode !== 'elastic' &&
              limit.consistency?.mode !== 'leased',
          );
          const [clock, otherClock] = [new FakeClock(), new FakeClock()];
          const plane = planeOf(limit, { clock });
          const reference = new TestPlane({ ...ordinary(limit, given), clock: otherClock });
          for (const { region, cost, moveMs } of sent) {
            clock.advanceMs(moveMs);
            otherClock.advanceMs(moveMs);
            const known = region === 'eu' || region === 'us' ? region : 'rest';
            const {
              success,
              limit: number,
              remaining,
              retryAfter,
            } = await plane.limit(from(region, { cost }));
            const expected = await reference.limit(from(known, { cost }));
            expect({ success, number, remaining, retryAfter }).toEqual({
              ...{ success: expected.success, number: expected.limit },
              ...{ remaining: expected.remaining, retryAfter: expected.retryAfter },
            });
          }
          await Promise.all([plane.close(), reference.close()]);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
