import { expect, it } from 'vitest';
import { policyBy } from '../../../limiter/test/policies.js';
import { TestPlane } from './test-plane.js';

const minute = { windowMs: 60_000, alignment: 'clock' } as const;
const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const operations = ['createURL'];

it('denies above the limit, and allows again after the clock is advanced', async () => {
  const limit = policyBy({ algorithm: 'fixed_window', limit: 2, ...minute }, { operations });
  const plane = new TestPlane({ limits: [limit] });
  const asked = [await plane.limit(create), await plane.limit(create), await plane.limit(create)];
  expect(asked.map(({ success }) => success)).toEqual([true, true, false]);
  expect(asked[2]).toMatchObject({ reason: 'RATE_EXCEEDED', retryAfter: 60 });
  plane.clock.advanceMs(60_000);
  expect(await plane.limit(create)).toMatchObject({ success: true, remaining: 1 });
  expect(plane.crossings.map(({ percent, used }) => [percent, used])).toEqual([[100, 2]]);
});

it('a limit on every operation applies to any operation', async () => {
  const plane = new TestPlane({
    limits: [policyBy({ algorithm: 'fixed_window', limit: 2, ...minute }, { name: 'all' })],
  });
  const [first] = await plane.limitMany([create]);
  expect(first).toMatchObject({ success: true, remaining: 1 });
  expect(await plane.limit({ ...create, operation: 'deleteURL' })).toMatchObject({
    success: true,
    remaining: 0,
  });
  expect(await plane.limit(create)).toMatchObject({ success: false, reason: 'RATE_EXCEEDED' });
  await expect(plane.limit({ ...create, api: 'other' })).rejects.toMatchObject({ code: 'api-unknown' });
  expect(await plane.limit({ ...create, operation: '' })).toMatchObject({ reason: 'RATE_EXCEEDED' });
});

it('states no window of a limit of requests in flight', async () => {
  const limit = policyBy({ algorithm: 'concurrency', limit: 2, leaseMs: 60_000 }, { operations });
  const plane = new TestPlane({ limits: [limit] });
  expect((await plane.limit(create)).policies).toMatchObject([{ limit: 2, remaining: 1, window: 0 }]);
});

it('a reservation expires by this clock, and later amendments do not find it', async () => {
  const limit = policyBy({ algorithm: 'quota', limit: 100, period: 'day' }, { operations });
  const plane = new TestPlane({ limits: [limit] });
  const beganMs = plane.clock.nowMs();
  const held = await plane.reserve({ ...create, requestId: 'held', cost: 60, expiresInMs: 1000 });
  expect(held.expiresAt).toBe(beganMs + 1000);
  plane.clock.advanceMs(60_000);
  const receipt = { tenant: 'acme', requestId: 'held' };
  const calls = {
    settle: () => plane.settle({ ...receipt, cost: 20 }),
    renew: () => plane.renew(receipt),
    release: () => plane.release(receipt),
    refund: () => plane.refund(receipt),
    report: () => plane.reportOutcome({ ...receipt, outcome: 'success' }),
  };
  for (const [verb, call] of Object.entries(calls))
    expect(await call(), verb).toMatchObject({ status: 'not_found', returned: 0 });
  expect(await plane.peek(create)).toMatchObject({ remaining: 100 });
});

it('returns an expiry only for a current reservation: not without a limit, nor for an earlier one', async () => {
  const limit = policyBy({ algorithm: 'quota', limit: 100, period: 'day' }, { operations });
  const plane = new TestPlane({ limits: [limit] });
  const request = { ...create, requestId: 'held', expiresInMs: 5000 };
  expect(await plane.reserve(request)).toMatchObject({ success: true, expiresAt: expect.any(Number) });
  plane.clock.advanceMs(1000);
  expect(await plane.reserve(request)).toMatchObject({ success: true, expiresAt: null });
  const free = await plane.reserve({ ...create, operation: 'free' });
  expect(free).toMatchObject({ success: true, reason: 'NO_LIMIT', expiresAt: null });
});

it('peek, refund and reset of unknown identifiers do not use the tenant’s key budget', async () => {
  const rule = { algorithm: 'fixed_window', limit: 5, ...minute } as const;
  const plane = new TestPlane({ limits: [policyBy(rule, { operations, per: ['user'] })], keysPerTenant: 2 });
  const by = (user: string) => ({ ...create, subject: { user } });
  for (let i = 0; i < 10; i++) {
    await plane.peek(by(`looked-${i}`));
    await plane.refund({ ...by(`refunded-${i}`), cost: 1 });
    await plane.reset(by(`reset-${i}`));
  }
  await plane.limit(by('a'));
  await plane.limit(by('b'));
  expect(await plane.peek(by('c'))).toMatchObject({ remaining: 5 });
  await plane.limit(by('c'));
  expect(await plane.peek(by('d'))).toMatchObject({ remaining: 4 });
  expect(await plane.peek(by('a'))).toMatchObject({ remaining: 4 });
});

it('beyond the budget, a limit applies to a part of the identifiers, not to all or none', async () => {
  const rule = { algorithm: 'fixed_window', limit: 1, ...minute } as const;
  const enforcement = { mode: 'percent', percent: 50 } as const;
  const plane = new TestPlane({
    limits: [policyBy(rule, { operations, per: ['user'], enforcement })],
    keysPerTenant: 1,
  });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => plane.limit({ ...create, subject: { user: `u${i}` } })),
  );
  const enforced = answers.filter(({ policies }) => policies[0]?.mode === 'enforce').length;
  expect(enforced).toBeGreaterThan(60);
  expect(enforced).toBeLessThan(140);
});

it('a dimension may have the name of an object property: it is missing unless sent', async () => {
  const rule = { algorithm: 'fixed_window', limit: 5, ...minute } as const;
  const plane = new TestPlane({
    limits: [policyBy(rule, { operations, per: ['constructor'], onMissing: 'refuse' })],
  });
  await expect(plane.limit({ ...create, subject: { user: 'u1' } })).rejects.toMatchObject({
    code: 'dimension-missing',
    errors: [{ field: 'subject.constructor' }],
  });
});

it('a refund by description does not change counters of all tenants', async () => {
  const rule = { algorithm: 'fixed_window', limit: 10, ...minute } as const;
  const plane = new TestPlane({
    limits: [
      policyBy(rule, { name: 'ceiling', operations, per: ['global'] }),
      policyBy(rule, { name: 'own', operations }),
    ],
  });
  await plane.limit({ ...create, tenant: 'globex', cost: 5 });
  await plane.limit({ ...create, cost: 2 });
  expect(await plane.refund({ ...create, cost: 9 })).toMatchObject({ status: 'applied', returned: 2 });
  const left = (await plane.peek(create)).policies.map(({ name, remaining }) => [name, remaining]);
  expect(left).toEqual([
    ['ceiling', 3],
    ['own', 10],
  ]);
});

it('limitMany answers each request separately', async () => {
  const limit = policyBy({ algorithm: 'fixed_window', limit: 5, ...minute }, { operations });
  const plane = new TestPlane({ limits: [limit] });
  const answers = await plane.limitMany([create, null as never, { ...create, cost: 0.5 }, create]);
  expect(answers).toMatchObject([
    { success: true, remaining: 4 },
    { code: 'body-invalid' },
    { code: 'body-invalid' },
    { success: true, remaining: 3 },
  ]);
});

it('requests of an unknown tenant cannot be settled, released or renewed', async () => {
  const limit = policyBy({ algorithm: 'quota', limit: 100, period: 'day' }, { operations });
  const plane = new TestPlane({ limits: [limit], tenants: [] });
  const receipt = { tenant: 'nobody', requestId: 'r' };
  const calls = [plane.settle({ ...receipt, cost: 1 }), plane.release(receipt), plane.renew(receipt)];
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'tenant-unknown' });
});

it('an unsettled reservation is refunded at its expiry', async () => {
  const limit = policyBy({ algorithm: 'quota', limit: 100, period: 'day' }, { operations });
  const plane = new TestPlane({ limits: [limit] });
  await plane.reserve({ ...create, cost: 60, expiresInMs: 5000 });
  expect(await plane.limit({ ...create, cost: 60 })).toMatchObject({ success: false, remaining: 40 });
  plane.clock.advanceMs(5000);
  expect(await plane.limit({ ...create, cost: 60 })).toMatchObject({ success: true, remaining: 40 });
});

it('an elastic limit is exceeded only while its pool has spare capacity', async () => {
  const elastic = policyBy(
    { algorithm: 'fixed_window', limit: 10, ...minute },
    { operations, throttle: { mode: 'elastic', maxPercent: 100, pool: 'workers' } },
  );
  const pools = [{ name: 'workers', operations: [], capacity: 100, reclaimPercent: 80 }];
  const api = { key: 'url-shortener', unknownOperations: 'allow' as const, pools };
  const plane = new TestPlane({
    limits: [elastic],
    apis: [{ ...api, operations: [{ name: 'createURL', cost: 1 }] }],
  });
  const reasons: string[] = [];
  for (let i = 0; i < 40; i++) {
    reasons.push((await plane.limit(create)).reason);
    plane.clock.advanceMs(100);
  }
  const borrowed = reasons.filter((reason) => reason === 'ELASTIC').length;
  expect(reasons.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'WITHIN_LIMIT'));
  expect(borrowed).toBeGreaterThan(0);
  expect(borrowed).toBeLessThanOrEqual(10);
  await plane.close();
});
