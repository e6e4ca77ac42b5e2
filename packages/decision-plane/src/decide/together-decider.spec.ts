import type { LimitAnswer, LimitPolicy } from '@tollgate/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { TestPlane, type TestPlaneOptions } from '../testing/test-plane.js';
import type { TogetherOptions, TogetherRequest } from './requests.js';

const hourly = (name: string, limit: number, more: Partial<LimitPolicy> = {}): LimitPolicy =>
  ({
    name,
    api: 'links',
    operations: [],
    per: [],
    onUnavailable: 'share',
    algorithm: 'fixed_window',
    limit,
    windowMs: 3_600_000,
    alignment: 'clock',
    ...more,
  }) as LimitPolicy;

const CREATE = hourly('create', 5, { operations: ['create'] });
const REMOVE = hourly('remove', 2, { operations: ['remove'] });
const request = (operation: string, more: Partial<TogetherRequest> = {}): TogetherRequest => ({
  tenant: 'acme',
  api: 'links',
  operation,
  ...more,
});

describe('requests that are decided as one', () => {
  let plane: TestPlane;
  afterEach(() => plane.close());

  const start = (limits: LimitPolicy[], more: Partial<TestPlaneOptions> = {}) => {
    plane = new TestPlane({ limits, ...more });
  };
  const together = async (requests: TogetherRequest[], options?: TogetherOptions) =>
    (await plane.limitTogether(requests, options)) as LimitAnswer[];
  const left = async (operation: string) => (await plane.peek(request(operation))).remaining;

  it('are all charged if none is denied, each with its own answer', async () => {
    start([CREATE, REMOVE]);
    expect(await together([request('create', { cost: 3 }), request('remove')])).toMatchObject([
      { success: true, policy: 'create', remaining: 2, cost: 3 },
      { success: true, policy: 'remove', remaining: 1, cost: 1 },
    ]);
  });

  it('are not charged if one is denied; only that one is answered with a denial', async () => {
    start([CREATE, REMOVE]);
    expect(await together([request('create'), request('remove', { cost: 3 })])).toMatchObject([
      { success: true, remaining: 5 },
      { success: false, remaining: 2, reason: 'RATE_EXCEEDED' },
    ]);
    expect([await left('create'), await left('remove')]).toEqual([5, 2]);
    expect(plane.takeUsage()).toMatchObject([{ operation: 'remove', outcome: 'denied', count: 1 }]);
  });

  it('charge a common counter their sum or nothing', async () => {
    start([CREATE]);
    expect(await together([request('create', { cost: 2 }), request('create', { cost: 4 })])).toMatchObject([
      { success: false },
      { success: false },
    ]);
    expect(await together([request('create', { cost: 2 }), request('create', { cost: 3 })])).toMatchObject([
      { success: true, remaining: 0 },
      { success: true, remaining: 0 },
    ]);
  });

  it('may belong to several tenants', async () => {
    start([CREATE]);
    await together([request('create'), request('create', { tenant: 'globex', cost: 5 })]);
    expect(await together([request('create'), request('create', { tenant: 'globex' })])).toMatchObject([
      { success: true, remaining: 4 },
      { success: false, remaining: 0 },
    ]);
  });

  it('do not charge a peek, and are denied if the peek is denied', async () => {
    start([CREATE, REMOVE]);
    const both = [request('create', { look: true }), request('remove')];
    expect(await together(both)).toMatchObject([{ remaining: 5 }, { remaining: 1 }]);
    await plane.limit(request('create', { cost: 5 }));
    expect(await together(both)).toMatchObject([{ success: false }, { success: true, remaining: 1 }]);
    expect(await left('remove')).toBe(1);
  });

  it('include the charges of the others in a peek', async () => {
    start([CREATE]);
    expect(await together([request('create', { look: true }), request('create', { cost: 5 })])).toMatchObject(
      [
        { success: true, remaining: 0 },
        { success: true, remaining: 0 },
      ],
    );
  });

  it('are denied if one belongs to a suspended tenant', async () => {
    const tenant = { kind: 'tenant', revision: 1, tier: 'test', pinnedVersion: null } as const;
    start([CREATE], {
      tenants: [
        { ...tenant, tenant: 'acme', status: 'active' },
        { ...tenant, tenant: 'gone', status: 'suspended' },
      ],
    });
    expect(await together([request('create'), request('create', { tenant: 'gone' })])).toMatchObject([
      { success: true, remaining: 5 },
      { success: false, reason: 'BLOCKED' },
    ]);
    expect(await left('create')).toBe(5);
  });

  it.each([
    ['allow', 4],
    ['deny', 5],
  ] as const)(
    'of an unknown tenant, one has a problem; with %s, %i are left of the others',
    async (unknownCaller, remaining) => {
      const acme = {
        kind: 'tenant',
        revision: 1,
        tenant: 'acme',
        status: 'active',
        tier: 'test',
        pinnedVersion: null,
      };
      start([CREATE], { tenants: [acme as never] });
      const answers = await together([request('create', { tenant: 'nobody' }), request('create')], {
        unknownCaller,
      });
      expect(answers).toMatchObject([{ code: 'tenant-unknown' }, { remaining }]);
      expect(await left('create')).toBe(remaining);
    },
  );

  it("replace configured limits by the caller's limit with its own counter", async () => {
    start([CREATE]);
    const own = request('create', { override: { limit: 1, windowMs: 60_000 } });
    expect(await together([own])).toMatchObject([
      { success: true, limit: 1, remaining: 0, source: 'override' },
    ]);
    expect(await together([own])).toMatchObject([{ success: false, limit: 1 }]);
    expect(await left('create')).toBe(5);
    const raised = request('create', { override: { limit: 3, windowMs: 60_000 } });
    expect(await together([raised])).toMatchObject([{ success: true, limit: 3, remaining: 1 }]);
    const others = request('create', { subject: { user: 'u' }, override: { limit: 1, windowMs: 60_000 } });
    expect(await together([others])).toMatchObject([{ success: true, remaining: 0 }]);
    expect(await together([request('create', { override: { limit: 0, windowMs: 1000 } })])).toMatchObject([
      { success: false, retryAfter: null },
    ]);
  });

  it('charge no limit and no pool if one lacks the value of a dimension', async () => {
    start([CREATE, hourly('by-user', 5, { operations: ['list'], per: ['user'], onMissing: 'refuse' })]);
    await expect(together([request('create'), request('list')])).rejects.toMatchObject({
      code: 'dimension-missing',
    });
    expect(await left('create')).toBe(5);
  });

  it('take one permit together', async () => {
    start([
      hourly('slots', 2, {
        algorithm: 'concurrency',
        leaseMs: 60_000,
        windowMs: undefined,
        alignment: undefined,
      } as never),
    ]);
    expect(await together([request('create'), request('create')])).toMatchObject([
      { success: true, remaining: 1 },
      { success: true, remaining: 1 },
    ]);
  });
});
