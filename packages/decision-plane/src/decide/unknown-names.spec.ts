import type { ApiRecord, LimitRequest, UsageRow } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { policyBy } from '../../../limiter/test/policies.js';
import { TestPlane, type TestPlaneOptions } from '../testing/test-plane.js';

const RULE = { algorithm: 'fixed_window', limit: 3, windowMs: 3_600_000, alignment: 'clock' } as const;
const ask: LimitRequest = { tenant: 'acme', api: 'shop', operation: 'list' };
const named = (operation: string): LimitRequest => ({ ...ask, operation });

/** An API with a limit on all of it and one on an operation. */
function shop(
  unknownOperations: ApiRecord['unknownOperations'],
  more: Partial<TestPlaneOptions> = {},
): TestPlane {
  const limit = (name: string, operations: string[]) => policyBy(RULE, { name, api: 'shop', operations });
  return new TestPlane({
    limits: [limit('whole-api', []), limit('list-only', ['list'])],
    apis: [{ key: 'shop', unknownOperations, operations: [{ name: 'list', cost: 1 }] }],
    ...more,
  });
}

describe('an unregistered operation', () => {
  it('counts against the limits of the whole API, so that invented names do not bypass them', async () => {
    const plane = shop('count');
    for (const name of ['invented-a', 'invented-b', 'invented-c'])
      expect(await plane.limit(named(name))).toMatchObject({ success: true, policy: 'whole-api' });
    expect(await plane.limit(named('invented-d'))).toMatchObject({ success: false, reason: 'RATE_EXCEEDED' });
    expect(await plane.limit(ask)).toMatchObject({ success: false, policy: 'whole-api' });
  });

  it('is decided in the same way by every verb', async () => {
    const plane = shop('count');
    expect(await plane.peek(named('x'))).toMatchObject({ policy: 'whole-api', remaining: 3 });
    expect(await plane.limitMany([named('x'), named('y')])).toMatchObject([
      { remaining: 2 },
      { remaining: 1 },
    ]);
    const held = await plane.reserve({ ...named('z'), requestId: 'r-1' });
    expect(held).toMatchObject({ success: true, remaining: 0, expiresAt: expect.any(Number) });
    expect(await plane.limitTogether([named('w')])).toMatchObject([{ success: false }]);
    await plane.refund({ ...named('v'), cost: 1 });
    expect(await plane.peek(named('u'))).toMatchObject({ remaining: 1 });
  });

  it('passes without limits under allow, and is denied under refuse', async () => {
    expect(await shop('allow').limit(named('x'))).toMatchObject({ success: true, reason: 'EXEMPT' });
    expect(await shop('refuse').limit(named('x'))).toMatchObject({ success: false, reason: 'BLOCKED' });
  });

  it('passes without limits where no limit is on the whole API', async () => {
    const limits = [policyBy(RULE, { api: 'shop', operations: ['list'] })];
    expect(await shop('count', { limits }).limit(named('x'))).toMatchObject({ reason: 'NO_LIMIT' });
  });

  it('appears in usage by name, with a bounded number of rows', async () => {
    const plane = shop('count');
    for (let i = 0; i < 6000; i++) await plane.limit(named(`invented-${i}`));
    const rows = plane.takeUsage();
    expect(rows.length).toBeLessThanOrEqual(5001);
    const sum = (of: UsageRow[]) => of.reduce((total, { count }) => total + count, 0);
    expect(sum(rows)).toBe(6000);
    expect(rows.some(({ operation }) => operation === 'invented-0')).toBe(true);
    expect(sum(rows.filter(({ operation }) => operation === '*'))).toBeGreaterThan(900);
  });
});

describe('an unknown API', () => {
  const unknown = { ...ask, api: 'shpo' };

  it('is a problem for every verb, and not a request without limits', async () => {
    const plane = shop('count');
    const problem = { code: 'api-unknown' };
    await expect(plane.limit(unknown)).rejects.toMatchObject(problem);
    await expect(plane.peek(unknown)).rejects.toMatchObject(problem);
    await expect(plane.reserve(unknown)).rejects.toMatchObject(problem);
    await expect(plane.refund({ ...unknown, cost: 1 })).rejects.toMatchObject(problem);
    const together = (unknownCaller: 'allow' | 'deny') =>
      plane.limitTogether([ask, unknown], { unknownCaller });
    expect(await together('deny')).toMatchObject([{ remaining: 3 }, problem]);
    expect(await together('allow')).toMatchObject([{ remaining: 2 }, problem]);
    expect(await plane.limitMany([unknown, ask])).toMatchObject([
      { ...problem, status: 404 },
      { remaining: 1 },
    ]);
  });

  it('passes without limits where the installation allows it', async () => {
    expect(await shop('count', { unknownApis: 'allow' }).limit(unknown)).toMatchObject({
      ...{ success: true, reason: 'EXEMPT' },
    });
  });
});
