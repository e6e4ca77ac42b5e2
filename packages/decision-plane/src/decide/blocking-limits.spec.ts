import {
  type Adjustment,
  denialProblem,
  type LimitRequest,
  rateLimitHeaders,
  type SubjectRule,
} from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, gcraPolicy, policyBy } from '../../../limiter/test/policies.js';
import { LIMIT, OutageNode } from '../../test/outage-node.js';
import { tenantOf } from '../../test/recorded-traffic.js';
import { TestPlane } from '../testing/test-plane.js';

const SHOP = { api: 'shop', windowMs: 3_600_000 };
const whole = fixedWindowPolicy({ ...SHOP, name: 'all', limit: 3 });
const blocked = gcraPolicy({ ...SHOP, name: 'export', operations: ['export'], limit: 0, burst: 9 });
const of = (operation: string, over: Partial<LimitRequest> = {}): LimitRequest => ({
  ...{ tenant: 'acme', api: 'shop', operation },
  ...over,
});
const BLOCKED = { success: false, reason: 'BLOCKED', policy: 'export', limit: 0, retryAfter: null };

const adjusted = (...adjustments: Adjustment[]) =>
  new TestPlane({
    limits: [{ ...whole, limit: 100 }, blocked],
    tenants: [tenantOf('acme', { adjustments, adjusted: adjustments.map((_, i) => i) })],
  });
const adjustment = (effect: Adjustment['effect'], over: Partial<Adjustment> = {}): Adjustment => ({
  ...{ id: 'a1', source: 'override', api: 'shop', limit: 'export', effect },
  ...over,
});

describe('a limit of 0', () => {
  it('denies its operations and charges no other limit', async () => {
    const plane = new TestPlane({ limits: [whole, blocked] });
    expect(await plane.limit(of('export'))).toMatchObject({ ...BLOCKED, source: 'tier', policies: [] });
    expect(await plane.peek(of('export'))).toMatchObject(BLOCKED);
    expect(await plane.reserve({ ...of('export'), expiresInMs: 1000 })).toMatchObject(BLOCKED);
    expect(await plane.limitMany([of('export'), of('list')])).toMatchObject([BLOCKED, { remaining: 2 }]);
    expect(await plane.limit(of('list', { cost: 2 }))).toMatchObject({ success: true, remaining: 0 });
  });

  it('denies all requests that are decided together with it', async () => {
    const plane = new TestPlane({ limits: [whole, blocked] });
    expect(await plane.limitTogether([of('list'), of('export')])).toMatchObject([{ success: true }, BLOCKED]);
    expect(await plane.peek(of('list'))).toMatchObject({ remaining: 3 });
  });

  it('appears in usage and the problem, but not in the headers', async () => {
    const plane = new TestPlane({ limits: [whole, blocked] });
    const answer = await plane.limit(of('export'));
    expect(rateLimitHeaders(answer, Date.now(), ['draft-11', 'draft-3', 'x-ratelimit'])).toEqual({});
    expect(denialProblem(answer)).toMatchObject({
      ...{ status: 403, detail: "The tenant's limits block this operation.", 'violated-policies': [] },
    });
    expect(plane.takeUsage()).toMatchObject([{ operation: 'export', limit: 'export', outcome: 'denied' }]);
  });

  it('denies while Redis is unavailable, also with onUnavailable allow', async () => {
    const limits = [
      { ...blocked, onUnavailable: 'allow' as const },
      { ...whole, limit: LIMIT },
    ];
    const node = new OutageNode({ limits });
    node.store.isAway = true;
    expect(await node.engine.limit(of('export'))).toMatchObject({ ...BLOCKED, degraded: false });
    await node.engine.close();
  });

  it('does not deny in shadow mode, and marks the request', async () => {
    const shadow = { ...blocked, enforcement: { mode: 'shadow' as const } };
    const plane = new TestPlane({ limits: [whole, shadow] });
    expect(await plane.limit(of('export'))).toMatchObject({ success: true, reason: 'SHADOW', remaining: 2 });
    expect(await plane.limitTogether([of('export')])).toMatchObject([{ success: true, reason: 'SHADOW' }]);
    const alone = await new TestPlane({ limits: [shadow] }).limit(of('export'));
    expect(alone).toMatchObject({ success: true, reason: 'SHADOW', policy: 'export', retryAfter: 0 });
  });

  it('leaves subjects that are exempt, and those whose own limit lifts it', async () => {
    const rule = { dimension: 'user', api: 'shop' };
    const subjectRules: SubjectRule[] = [
      { ...rule, id: 'r1', pattern: 'exempt', effect: { kind: 'exempt' } },
      { ...rule, id: 'r2', pattern: 'spared', limit: 'export', effect: { kind: 'exempt' } },
      { ...rule, id: 'r3', pattern: 'trial', limit: 'export', effect: { kind: 'set', limit: 2 } },
      { ...rule, id: 'r4', pattern: 'double', limit: 'export', effect: { kind: 'multiply', percent: 200 } },
    ];
    const plane = new TestPlane({
      limits: [
        { ...whole, limit: 100 },
        { ...blocked, per: ['user'] },
      ],
      tenants: [tenantOf('acme', { subjectRules })],
    });
    const by = (user: string) => plane.limit(of('export', { subject: { user } }));
    expect(await by('exempt')).toMatchObject({ success: true, reason: 'EXEMPT' });
    expect(await by('spared')).toMatchObject({ success: true, policy: 'all' });
    expect(await by('trial')).toMatchObject({ success: true, policy: 'export', source: 'subject_rule' });
    expect(await by('double')).toMatchObject(BLOCKED);
    expect(await by('other')).toMatchObject(BLOCKED);
  });

  it('denies the enforced share of subjects, always the same ones', async () => {
    const limit = { ...blocked, per: ['user'], enforcement: { mode: 'percent' as const, percent: 50 } };
    const plane = new TestPlane({ limits: [limit] });
    const outcomes = async () =>
      (
        await plane.limitMany(
          Array.from({ length: 50 }, (_, i) => of('export', { subject: { user: `u${i}` } })),
        )
      ).map((one) => 'success' in one && one.success);
    const first = await outcomes();
    expect(new Set(first)).toEqual(new Set([true, false]));
    expect(await outcomes()).toEqual(first);
  });

  it('leaves requests that it does not cover', async () => {
    const plane = new TestPlane({ limits: [{ ...blocked, per: ['user'], onMissing: 'skip' }] });
    expect(await plane.limit(of('export'))).toMatchObject({ success: true, reason: 'EXEMPT' });
    expect(await plane.limit(of('export', { subject: { user: 'u1' } }))).toMatchObject(BLOCKED);
  });

  it('does not prevent refunds and resets of the other limits', async () => {
    const plane = new TestPlane({ limits: [whole, blocked] });
    await plane.limit(of('list', { cost: 3 }));
    await plane.refund({ ...of('export'), cost: 1 });
    expect(await plane.peek(of('list'))).toMatchObject({ remaining: 1 });
    await plane.reset({ ...of('export'), limit: 'all' });
    expect(await plane.peek(of('list'))).toMatchObject({ remaining: 3 });
  });

  it.each(['concurrency', 'quota', 'token_bucket'] as const)(
    'blocks by any algorithm: %s',
    async (algorithm) => {
      const rules = {
        concurrency: { algorithm: 'concurrency', limit: 0, leaseMs: 1000 },
        quota: { algorithm: 'quota', limit: 0, period: 'day' },
        token_bucket: {
          algorithm: 'token_bucket',
          limit: 0,
          windowMs: 1000,
          capacity: 1,
          refill: 'interval',
        },
      } as const;
      const plane = new TestPlane({ limits: [policyBy(rules[algorithm], { api: 'shop', name: 'export' })] });
      expect(await plane.limit(of('any', { requestId: 'r1' }))).toMatchObject(BLOCKED);
    },
  );
});

describe('an adjustment of a limit of 0', () => {
  it.each<[string, Adjustment, object]>([
    ['by a set limit', adjustment({ kind: 'set', limit: 2 }), { remaining: 9, source: 'override' }],
    [
      'by added units',
      adjustment({ kind: 'add', units: 1 }, { source: 'upgrade' }),
      { source: 'upgrade', limit: 1 },
    ],
  ])('lifts the block %s', async (_, change, expected) => {
    expect(await adjusted(change).limit(of('export'))).toMatchObject({ success: true, ...expected });
  });

  it.each<[string, Adjustment]>([
    ['a percentage', adjustment({ kind: 'multiply', percent: 500 })],
    ['units for every limit of the API', adjustment({ kind: 'add', units: 5 }, { limit: undefined })],
  ])('leaves the block: %s', async (_, change) => {
    expect(await adjusted(change).limit(of('export'))).toMatchObject(BLOCKED);
  });

  it('blocks a limit with an override to 0, and keeps its usage for the time after it', async () => {
    const { clock } = new TestPlane({ limits: [] });
    const startMs = clock.nowUs() / 1000;
    const at = (ms: number) => Math.round(startMs + ms);
    const change = { carryOver: 'keep' as const };
    const tenant = tenantOf('acme', {
      adjustments: [adjustment({ kind: 'set', limit: 0 }, { limit: 'all' })],
      next: [
        { ...change, atMs: at(1000), generation: 1, adjusted: [0] },
        { ...change, atMs: at(2000), generation: 2, adjusted: [] },
      ],
    });
    const daily = { ...whole, windowMs: 86_400_000 };
    const plane = new TestPlane({ limits: [daily], tenants: [tenant], clock });
    expect(await plane.limit(of('list', { cost: 2 }))).toMatchObject({ remaining: 1 });
    clock.advanceMs(1000);
    expect(await plane.limit(of('list'))).toMatchObject({ ...BLOCKED, policy: 'all', source: 'override' });
    clock.advanceMs(1000);
    expect(await plane.limit(of('list'))).toMatchObject({ success: true, remaining: 0 });
  });
});
