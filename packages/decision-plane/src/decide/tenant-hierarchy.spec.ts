import {
  type Floor,
  floorsOf,
  type LimitPolicy,
  type LimitRequest,
  type TenantRecord,
} from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../../limiter/test/policies.js';
import { HOUR_MS } from '../../test/outage-node.js';
import { tenantOf } from '../../test/recorded-traffic.js';
import { TestPlane, type TestPlaneOptions } from '../testing/test-plane.js';

const api = 'url-shortener';
const shared = (over: Partial<LimitPolicy> = {}) =>
  ({
    ...fixedWindowPolicy({ name: 'org-hour', limit: 5, windowMs: HOUR_MS, sharedWithChildren: true }),
    ...over,
  }) as LimitPolicy;
const own = fixedWindowPolicy({ name: 'hour', limit: 4, windowMs: HOUR_MS });
const by = (tenant: string, over: Partial<LimitRequest> = {}): LimitRequest => ({
  ...{ tenant, api, operation: 'createURL' },
  ...over,
});
const FAMILY = [
  tenantOf('acme'),
  tenantOf('team-a', { parent: 'acme' }),
  tenantOf('team-b', { parent: 'acme' }),
  tenantOf('globex'),
];

function planeOf(limits: LimitPolicy[], more: Partial<TestPlaneOptions> = {}) {
  return new TestPlane({ limits, tenants: FAMILY, ...more });
}

/** All tenants but the parent have only their own limit. */
const withOverride = (adjustment: Partial<TenantRecord>) =>
  FAMILY.map((one) => (one.tenant === 'acme' ? { ...one, ...adjustment } : one));

describe('a limit that a parent shares with its children', () => {
  it('counts the requests of the parent and of all children, and no others', async () => {
    const plane = planeOf([shared()]);
    for (const tenant of ['acme', 'team-a', 'team-b', 'team-a'])
      expect(await plane.limit(by(tenant))).toMatchObject({ success: true });
    expect(await plane.peek(by('acme'))).toMatchObject({ remaining: 1, source: 'tier' });
    expect((await plane.peek(by('globex'))).policies).toMatchObject([{ remaining: 5 }]);
    expect((await plane.peek(by('team-b'))).policies).toMatchObject([
      // A child on its parent's tier also has the limit itself.
      { name: 'org-hour', remaining: 4 },
      { name: 'org-hour', label: 'parent', remaining: 1 },
    ]);
  });

  it('denies a child by the limit of its parent, and charges neither then', async () => {
    const plane = planeOf([shared(), own]);
    await plane.limit(by('team-a', { cost: 3 }));
    const denied = await plane.limit(by('team-b', { cost: 3 }));
    expect(denied).toMatchObject({
      ...{ success: false, policy: 'org-hour', reason: 'RATE_EXCEEDED', source: 'parent', remaining: 2 },
    });
    expect(denied.policies.filter(({ success }) => !success)).toMatchObject([{ label: 'parent' }]);
    expect((await plane.peek(by('team-b'))).policies.map(({ remaining }) => remaining)).toEqual([5, 4, 2]);
    await plane.limit(by('team-b', { cost: 2 }));
    expect(await plane.limit(by('acme'))).toMatchObject({ success: false, policy: 'org-hour' });
  });

  it('denies a child by its own limit without charging the parent', async () => {
    const plane = planeOf([own, shared({ limit: 20 })]);
    await plane.limit(by('team-a', { cost: 4 }));
    expect(await plane.limit(by('team-a'))).toMatchObject({ success: false, policy: 'hour' });
    expect(await plane.peek(by('acme', { cost: 1 }))).toMatchObject({ success: true });
    expect((await plane.peek(by('acme'))).policies).toMatchObject([{ name: 'hour' }, { remaining: 16 }]);
  });

  it('is that of the parent: its overrides apply, those of the child do not', async () => {
    const raise = (percent: number): Partial<TenantRecord> => ({
      adjustments: [{ id: 'o1', source: 'override', api, effect: { kind: 'multiply', percent } }],
      adjusted: [0],
    });
    const parent = planeOf([shared()], { tenants: withOverride(raise(400)) });
    expect((await parent.peek(by('team-a'))).policies).toMatchObject([{ limit: 5 }, { limit: 20 }]);
    const child = planeOf([shared()], {
      tenants: [tenantOf('acme'), tenantOf('team-a', { parent: 'acme', ...raise(400) })],
    });
    expect((await child.peek(by('team-a'))).policies).toMatchObject([{ limit: 20 }, { limit: 5 }]);
  });

  it('blocks children too at 0, and children of a suspended parent are denied', async () => {
    const blocked = planeOf([own, shared({ limit: 0 })]);
    expect(await blocked.limit(by('team-a'))).toMatchObject({ success: false, reason: 'BLOCKED' });
    const suspended = planeOf([own], { tenants: withOverride({ status: 'suspended' }) });
    expect(await suspended.limit(by('team-a'))).toMatchObject({
      ...{ success: false, reason: 'BLOCKED', detail: 'The parent tenant is suspended.' },
    });
    expect(await suspended.limit(by('globex'))).toMatchObject({ success: true });
  });

  it('is refunded with the request, but not by a description, and reset by the parent only', async () => {
    const plane = planeOf([own, shared()]);
    const left = async () => (await plane.peek(by('team-a'))).policies.map(({ remaining }) => remaining);
    await plane.limit(by('team-a', { cost: 2, requestId: 'r1' }));
    await plane.limit(by('team-a', { cost: 2, requestId: 'r1' }));
    expect(await left()).toEqual([2, 3, 3]);
    expect(await plane.refund({ tenant: 'team-a', requestId: 'r1' })).toMatchObject({ returned: 2 });
    expect(await left()).toEqual([4, 5, 5]);
    await plane.limit(by('team-a', { cost: 3 }));
    await plane.refund({ ...by('team-a'), cost: 1 });
    expect(await left()).toEqual([2, 3, 2]);
    await plane.reset(by('team-a'));
    expect(await left()).toEqual([4, 5, 2]);
    await plane.reset(by('acme'));
    expect(await left()).toEqual([4, 5, 5]);
  });

  it('is charged by reservations, batches and requests that are decided together', async () => {
    const plane = planeOf([shared({ limit: 10 })]);
    const { requestId } = await plane.reserve({ ...by('team-a'), cost: 4, expiresInMs: 60_000 });
    expect(await plane.peek(by('acme'))).toMatchObject({ remaining: 6 });
    await plane.settle({ tenant: 'team-a', requestId, cost: 1 });
    expect(await plane.peek(by('acme'))).toMatchObject({ remaining: 9 });
    await plane.limitMany([by('team-a', { cost: 2 }), by('team-b', { cost: 2 }), by('acme')]);
    expect(await plane.peek(by('acme'))).toMatchObject({ remaining: 4 });
    const together = [by('team-a', { cost: 3 }), by('team-b', { cost: 2 })];
    expect(await plane.limitTogether(together)).toMatchObject([{ success: false }, { success: false }]);
    expect(await plane.peek(by('acme'))).toMatchObject({ remaining: 4 });
  });

  it('covers the operations of its API only', async () => {
    const plane = planeOf([own, shared({ operations: ['deleteURL'] })]);
    expect((await plane.peek(by('team-a'))).policies).toHaveLength(1);
    expect((await plane.peek(by('team-a', { operation: 'deleteURL' }))).policies).toHaveLength(3);
  });

  it('is listed for children, without the steps that led to it', async () => {
    const plane = planeOf([shared()], {
      tenants: withOverride({
        adjustments: [{ id: 'o1', source: 'override', api, effect: { kind: 'multiply', percent: 200 } }],
        adjusted: [0],
      }),
    });
    const { limits } = await plane.limitsOf('team-a', api);
    expect(limits).toMatchObject([
      { source: 'tier', policy: { limit: 5 } },
      { source: 'parent', policy: { limit: 10 }, provenance: [] },
    ]);
  });

  it('reports usage to the child, and thresholds to the parent', async () => {
    const plane = planeOf([shared({ limit: 10 })]);
    await plane.limit(by('team-a', { cost: 4 }));
    await plane.limit(by('team-b', { cost: 4 }));
    expect(plane.takeUsage().map(({ tenant, units }) => [tenant, units])).toEqual([
      ['team-a', 4],
      ['team-b', 4],
    ]);
    expect(plane.crossings.map(({ tenant, percent }) => [tenant, percent])).toEqual([['acme', 80]]);
  });

  it('is not decided while the parent is unknown', async () => {
    const plane = planeOf([own], { tenants: [tenantOf('team-a', { parent: 'acme' })] });
    await expect(plane.limit(by('team-a'))).rejects.toMatchObject({ code: 'tenant-unavailable' });
  });
});

describe('a floor of a child', () => {
  const HOUR = { alignment: 'clock', windowMs: HOUR_MS } as const;
  const limit = shared({ limit: 10, ...HOUR } as Partial<LimitPolicy>);
  const floor = (child: string, units: number): Floor => ({ child, api, limit: 'org-hour', units });
  const withFloors = (...floors: Floor[]) =>
    planeOf([limit], {
      tenants: [
        tenantOf('acme', { floors }),
        ...['team-a', 'team-b', 'team-c'].map((key) => tenantOf(key, { parent: 'acme', tier: 'own' })),
      ],
      tiers: [{ key: 'own', currentVersion: 1, versions: [{ number: 1, limits: [] }] }],
    });
  const outcome = async (plane: TestPlane, tenant: string, cost: number) => {
    const { success, policies } = await plane.limit(by(tenant, { cost }));
    return [success, policies.map(({ label = '', remaining }) => `${label} ${remaining}`).join(', ')];
  };

  it('is used first, then the common part, each request completely in one of both', async () => {
    const plane = withFloors(floor('team-a', 4));
    expect(await outcome(plane, 'team-a', 3)).toEqual([true, 'parent 7, floor 1']);
    expect(await outcome(plane, 'team-a', 2)).toEqual([true, 'parent 5, common 4']);
    expect(await outcome(plane, 'team-a', 1)).toEqual([true, 'parent 4, floor 0']);
    expect(await outcome(plane, 'team-a', 4)).toEqual([true, 'parent 0, common 0']);
    // The limit itself denies, so the common part is not tried.
    expect(await outcome(plane, 'team-a', 1)).toEqual([false, 'parent 0, floor 0']);
  });

  it('cannot be used by the parent and siblings', async () => {
    const plane = withFloors(floor('team-a', 4), floor('team-b', 3));
    expect(await outcome(plane, 'acme', 3)).toEqual([true, ' 7, common 0']);
    expect(await outcome(plane, 'team-c', 1)).toEqual([false, 'parent 7, common 0']);
    expect(await outcome(plane, 'team-b', 4)).toEqual([false, 'parent 7, common 0']);
    expect(await outcome(plane, 'team-b', 3)).toEqual([true, 'parent 4, floor 0']);
    expect(await outcome(plane, 'team-a', 4)).toEqual([true, 'parent 0, floor 0']);
  });

  it('names the limit of the parent in a denial', async () => {
    const plane = withFloors(floor('team-a', 10));
    await plane.limit(by('team-a', { cost: 10 }));
    expect(await plane.limit(by('team-a'))).toMatchObject({
      ...{ success: false, policy: 'org-hour', source: 'parent', reason: 'RATE_EXCEEDED' },
    });
    // Nothing is left for those without a floor.
    expect(await plane.limit(by('team-b'))).toMatchObject({
      success: false,
      reason: 'BLOCKED',
      policy: 'org-hour',
    });
  });

  it('is refunded where it was charged, and charged once under one id', async () => {
    const plane = withFloors(floor('team-a', 4));
    const left = async () => (await plane.peek(by('team-a'))).policies.map(({ remaining }) => remaining);
    for (const requestId of ['r1', 'r2', 'r2', 'r1']) await plane.limit(by('team-a', { cost: 3, requestId }));
    expect(await left()).toEqual([4, 1]);
    await plane.refund({ tenant: 'team-a', requestId: 'r2' });
    expect(await plane.peek(by('team-b'))).toMatchObject({ remaining: 6 });
    expect(await left()).toEqual([7, 1]);
    await plane.refund({ tenant: 'team-a', requestId: 'r1' });
    expect(await left()).toEqual([10, 4]);
  });

  it('is reserved and settled, and used in batches, peeks and joint decisions', async () => {
    const plane = withFloors(floor('team-a', 4), floor('team-b', 2));
    const { requestId } = await plane.reserve({ ...by('team-a'), cost: 4, expiresInMs: 60_000 });
    expect(await plane.peek(by('team-a', { cost: 4 }))).toMatchObject({ success: true });
    expect(await plane.limitMany([by('team-a', { cost: 2 }), by('team-a', { cost: 2 })])).toMatchObject([
      { success: true },
      { success: true },
    ]);
    await plane.settle({ tenant: 'team-a', requestId, cost: 1 });
    const together = [by('team-a', { cost: 3 }), by('team-b', { cost: 2 })];
    expect(await plane.limitTogether(together)).toMatchObject([{ success: true }, { success: true }]);
    expect(await plane.limitTogether([by('team-a')])).toMatchObject([{ success: false }]);
    expect((await plane.peek(by('acme'))).policies).toMatchObject([{ remaining: 0 }, { remaining: 0 }]);
  });

  it('has no effect on limits whose parts would not add up, and in shadow mode', async () => {
    for (const over of [
      { algorithm: 'gcra', burst: 3 },
      { enforcement: { mode: 'shadow' } },
      { throttle: { mode: 'soft', percent: 10 } },
    ]) {
      const { alignment: _, ...rest } = limit as LimitPolicy & { alignment: string };
      const one = { ...(over.algorithm === undefined ? limit : rest), ...over } as LimitPolicy;
      expect(floorsOf([floor('team-a', 4)], one)).toBeUndefined();
    }
  });

  it('shrinks in proportion when all floors exceed the limit, and never adds up to more', () => {
    const units = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(fc.array(units, { minLength: 1, maxLength: 8 }), units, (all, most) => {
        const floors = all.map((one, i) => floor(`team-${i}`, one));
        const found = floorsOf(floors, { ...limit, limit: most });
        const inEffect = [...(found?.units.values() ?? [])];
        const sum = inEffect.reduce((total, one) => total + BigInt(one), 0n);
        expect(sum + BigInt(found?.common ?? -1)).toBe(BigInt(most));
        expect(found?.common).toBeGreaterThanOrEqual(0);
        const wanted = all.reduce((total, one) => total + BigInt(one), 0n);
        if (wanted <= BigInt(most)) expect(inEffect).toEqual(all);
        else expect(found?.common).toBeLessThan(all.length);
      }),
    );
  });
});
