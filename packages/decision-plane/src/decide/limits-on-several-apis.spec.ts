import type { ApiRecord, LimitPolicy, LimitRequest } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../../limiter/test/policies.js';
import { HOUR_MS, OutageNode } from '../../test/outage-node.js';
import { tenantOf } from '../../test/recorded-traffic.js';
import { TestPlane, type TestPlaneOptions } from '../testing/test-plane.js';

const apis = ['shop', 'bank', 'mail'].map(
  (key): ApiRecord => ({ key, unknownOperations: 'count', operations: [{ name: 'call', cost: 1 }] }),
);
const app = (over: Partial<LimitPolicy> = {}): LimitPolicy =>
  ({
    ...fixedWindowPolicy({ api: 'shop', name: 'app', limit: 4, windowMs: HOUR_MS }),
    ...{ alsoApis: ['bank'], ...over },
  }) as LimitPolicy;
const ofBank = fixedWindowPolicy({ api: 'bank', name: 'bank', limit: 2, windowMs: HOUR_MS });
const to = (api: string, over: Partial<LimitRequest> = {}): LimitRequest => ({
  ...{ tenant: 'acme', api, operation: 'call' },
  ...over,
});
const planeOf = (limits: LimitPolicy[], more: Partial<TestPlaneOptions> = {}) =>
  new TestPlane({ limits, apis, ...more });

describe('a limit on several APIs', () => {
  it('counts their requests together, registered or not, and those of no other API', async () => {
    const plane = planeOf([app()]);
    expect(await plane.limit(to('shop'))).toMatchObject({ policy: 'app', remaining: 3 });
    expect(await plane.limit(to('bank'))).toMatchObject({ policy: 'app', remaining: 2 });
    expect(await plane.limit(to('bank', { operation: 'invented' }))).toMatchObject({ remaining: 1 });
    expect(await plane.limit(to('mail'))).toMatchObject({ reason: 'NO_LIMIT' });
    expect(await plane.limitTogether([to('shop'), to('bank')])).toMatchObject([
      { success: false },
      { success: false },
    ]);
    expect(await plane.limitMany([to('bank'), to('shop')])).toMatchObject([
      { success: true, remaining: 0 },
      { success: false, reason: 'RATE_EXCEEDED' },
    ]);
  });

  it('covers every API by *', async () => {
    const plane = planeOf([app({ alsoApis: ['*'] })]);
    for (const api of ['shop', 'bank', 'mail']) await plane.limit(to(api));
    expect(await plane.peek(to('mail'))).toMatchObject({ policy: 'app', remaining: 1 });
  });

  it('is charged together with the limits of the API, or not at all', async () => {
    const plane = planeOf([app(), ofBank]);
    expect(await plane.limit(to('bank', { cost: 2 }))).toMatchObject({ policy: 'bank', remaining: 0 });
    expect(await plane.limit(to('bank'))).toMatchObject({ success: false, policy: 'bank' });
    expect(await plane.limit(to('shop', { cost: 2 }))).toMatchObject({ success: true, remaining: 0 });
    await plane.reset({ ...to('bank'), limit: 'bank' });
    expect(await plane.limit(to('bank'))).toMatchObject({ success: false, policy: 'app' });
    expect(await plane.peek(to('bank'))).toMatchObject({ policies: [{}, { name: 'bank', remaining: 2 }] });
  });

  it('is refunded and reset by a request to any of them', async () => {
    const plane = planeOf([app()]);
    await plane.limit(to('shop', { cost: 4 }));
    await plane.refund({ ...to('bank'), cost: 3 });
    expect(await plane.peek(to('shop'))).toMatchObject({ remaining: 3 });
    await plane.reset({ ...to('bank'), limit: 'app' });
    expect(await plane.peek(to('shop'))).toMatchObject({ remaining: 4 });
  });

  it('has one counter for all tenants with per global', async () => {
    const plane = planeOf([app({ per: ['global'] })]);
    await plane.limit(to('shop'));
    expect(await plane.limit(to('bank', { tenant: 'globex' }))).toMatchObject({ remaining: 2 });
  });

  it.each<[string, Partial<LimitPolicy>]>([
    ['leased', { consistency: { mode: 'leased', leaseMs: 1000 } }],
    ['packed', { per: ['user'], storage: 'packed', expectedSubjects: 100 }],
    ['reported', { charge: 'on_failure' }],
  ])('never admits more than its limit: %s', async (_, over) => {
    const plane = planeOf([app(over), ofBank]);
    let allowed = 0;
    for (let i = 0; i < 12; i++) {
      const { success } = await plane.limit(to(i % 3 === 0 ? 'bank' : 'shop', { subject: { user: 'u1' } }));
      if (success) allowed++;
    }
    expect(allowed).toBe(4);
    await plane.close();
  });

  it('is changed by overrides and rules of subjects that name its home', async () => {
    const set = { kind: 'set', limit: 10 } as const;
    const named = { api: 'shop', limit: 'app' };
    const adjustments = [{ id: 'a1', source: 'override' as const, ...named, effect: set }];
    const subjectRules = [
      { id: 'r1', ...named, dimension: 'user', pattern: 'vip', effect: { ...set, limit: 20 } },
    ];
    const plane = planeOf([app({ per: ['user'] })], {
      tenants: [tenantOf('acme', { adjustments, adjusted: [0], subjectRules })],
    });
    const by = (api: string, user: string) => plane.peek(to(api, { subject: { user } }));
    expect(await by('bank', 'anyone')).toMatchObject({ limit: 10, source: 'override' });
    for (const api of ['shop', 'bank'])
      expect(await by(api, 'vip')).toMatchObject({ limit: 20, source: 'subject_rule' });
  });

  it('is listed with the limits of each API, and counted in usage under the API of the request', async () => {
    const plane = planeOf([app(), ofBank]);
    const listed = async (api: string) =>
      (await plane.limitsOf('acme', api)).limits.map(({ policy }) => `${policy.api}/${policy.name}`);
    expect([await listed('shop'), await listed('bank'), await listed('mail')]).toEqual([
      ['shop/app'],
      ['shop/app', 'bank/bank'],
      [],
    ]);
    await plane.limit(to('bank'));
    expect(plane.takeUsage()).toMatchObject([{ api: 'bank', operation: 'call', outcome: 'allowed' }]);
  });

  it('reports thresholds once, under its home', async () => {
    const plane = planeOf([app()]);
    for (let i = 0; i < 6; i++) await plane.limit(to(i % 2 === 0 ? 'shop' : 'bank'));
    expect(plane.crossings.map(({ api, limit, percent }) => [api, limit, percent])).toEqual([
      ['shop', 'app', 100],
    ]);
  });

  it('keeps one share for all of them while Redis is unavailable', async () => {
    const node = new OutageNode({ limits: [app()], apis });
    node.store.isAway = true;
    const answers = [];
    for (const api of ['shop', 'bank', 'shop', 'bank', 'shop', 'bank'])
      answers.push(await node.engine.limit(to(api)));
    expect(answers.filter(({ success }) => success)).toHaveLength(4);
    await node.engine.close();
  });
});
