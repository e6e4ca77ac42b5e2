import { type LimitRequest, PROBLEMS, type ProblemCode } from '@tollgate/contracts';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { fixedWindowPolicy, gcraPolicy } from '../../limiter/test/policies.js';
import { SHORTENER } from '../src/testing/test-relay.js';
import { useRunningNode } from './running-node.js';

const HOUR = { windowMs: 3_600_000, alignment: 'first_request' as const };
const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

describe('decision plane', () => {
  const node = useRunningNode();

  it('returns correct fields and the name of the limit, and denies at exactly the limit', async () => {
    const limits = [
      fixedWindowPolicy({ name: 'create-hour', limit: 3, ...HOUR }),
      gcraPolicy({ name: 'create-rate', limit: 36, windowMs: 3_600_000, burst: 9 }),
    ];
    const revision = await node.relay.publish({ limits, tenants: [node.relay.tenant('acme')] });
    await node.inForce(revision);
    const before = Date.now();
    const answer = await node.plane.limit({ ...create, requestId: 'r-1' });
    expect(answer).toEqual({
      success: true,
      policy: 'create-hour',
      limit: 3,
      remaining: 2,
      used: 1,
      reset: expect.any(Number),
      retryAfter: 0,
      cost: 1,
      reason: 'WITHIN_LIMIT',
      source: 'tier',
      policies: [
        {
          name: 'create-hour',
          limit: 3,
          remaining: 2,
          reset: answer.reset,
          window: 3600,
          mode: 'enforce',
          success: true,
        },
        {
          name: 'create-rate',
          limit: 36,
          remaining: 9,
          reset: expect.any(Number),
          window: 3600,
          mode: 'enforce',
          success: true,
        },
      ],
      decidedAt: expect.any(Number),
      delayMs: 0,
      degraded: false,
      revision,
      requestId: 'r-1',
    });
    expect(answer.reset).toBeGreaterThanOrEqual(before + 3_600_000 - 1000);
    expect(await node.plane.limit(create)).toMatchObject({ success: true, remaining: 1, reason: 'BURST' });
    expect(await node.plane.limit(create)).toMatchObject({ success: true, remaining: 0, used: 3 });
    const refused = await node.plane.limit(create);
    expect(refused).toMatchObject({
      success: false,
      policy: 'create-hour',
      remaining: 0,
      used: 3,
      reason: 'RATE_EXCEEDED',
    });
    expect(refused.retryAfter).toBeGreaterThan(3590);
    expect(refused.retryAfter).toBeLessThanOrEqual(3600);
  });

  it('peek returns the result of limit and charges nothing', async () => {
    await node.inForce(
      await node.relay.publish({
        limits: [fixedWindowPolicy({ limit: 1, ...HOUR })],
        tenants: [node.relay.tenant('acme')],
      }),
    );
    for (let i = 0; i < 3; i++)
      expect(await node.plane.peek(create)).toMatchObject({ success: true, remaining: 1 });
    await node.plane.limit(create);
    expect(await node.plane.peek(create)).toMatchObject({ success: false, remaining: 0 });
  });

  it('a changed limit applies to current usage at once', async () => {
    await node.inForce(
      await node.relay.publish({
        limits: [fixedWindowPolicy({ limit: 2, ...HOUR })],
        tenants: [node.relay.tenant('acme')],
      }),
    );
    await node.plane.limit(create);
    await node.plane.limit(create);
    expect(await node.plane.limit(create)).toMatchObject({ success: false });
    const raised = await node.relay.publish({ limits: [fixedWindowPolicy({ limit: 4, ...HOUR })] });
    await node.inForce(raised);
    expect(await node.plane.limit(create)).toMatchObject({
      success: true,
      limit: 4,
      remaining: 1,
      revision: raised,
    });
  });

  it('an operation has its own limits and cost; an explicit cost takes precedence', async () => {
    const limits = [
      fixedWindowPolicy({ name: 'create', operations: ['createURL'], limit: 10, ...HOUR }),
      fixedWindowPolicy({ name: 'delete', operations: ['deleteURL'], limit: 2, ...HOUR }),
    ];
    const apis = [
      {
        ...SHORTENER,
        operations: [
          { name: 'createURL', cost: 3 },
          { name: 'deleteURL', cost: 1 },
        ],
      },
    ];
    await node.inForce(await node.relay.publish({ apis, limits, tenants: [node.relay.tenant('acme')] }));
    expect(await node.plane.limit(create)).toMatchObject({ policy: 'create', cost: 3, remaining: 7 });
    expect(await node.plane.limit({ ...create, cost: 5 })).toMatchObject({ cost: 5, remaining: 2 });
    expect(await node.plane.limit({ ...create, operation: 'deleteURL' })).toMatchObject({
      policy: 'delete',
      remaining: 1,
    });
    expect(await node.plane.limit({ ...create, cost: 11 })).toMatchObject({
      success: false,
      retryAfter: null,
    });
  });

  it('counts each value of a dimension and each tenant separately', async () => {
    const limits = [fixedWindowPolicy({ per: ['user', 'ip'], limit: 1, ...HOUR })];
    await node.inForce(
      await node.relay.publish({ limits, tenants: [node.relay.tenant('acme'), node.relay.tenant('globex')] }),
    );
    const ask = (tenant: string, user: string, ip: string) =>
      node.plane.limit({ ...create, tenant, subject: { user, ip } });
    expect(await ask('acme', 'u1', '203.0.113.9')).toMatchObject({ success: true });
    expect(await ask('acme', 'u1', '::ffff:203.0.113.9')).toMatchObject({ success: false });
    expect(await ask('acme', 'u2', '203.0.113.9')).toMatchObject({ success: true });
    expect(await ask('acme', 'u1', '203.0.113.10')).toMatchObject({ success: true });
    expect(await ask('globex', 'u1', '203.0.113.9')).toMatchObject({ success: true });
  });

  it('unregistered operations are unlimited, unless their API denies them; a suspended tenant is denied', async () => {
    const strict = { ...SHORTENER, key: 'strict', unknownOperations: 'refuse' as const };
    const tenants = [node.relay.tenant('acme'), node.relay.tenant('idle', { status: 'suspended' })];
    await node.inForce(await node.relay.publish({ apis: [SHORTENER, strict], tenants }));
    const noLimit = {
      success: true,
      policy: null,
      limit: null,
      remaining: null,
      reason: 'NO_LIMIT',
      retryAfter: 0,
    };
    expect(await node.plane.limit(create)).toMatchObject(noLimit);
    expect(await node.plane.limit({ ...create, operation: 'listURLs' })).toMatchObject(noLimit);
    await expect(node.plane.limit({ ...create, api: 'unheard-of' })).rejects.toMatchObject({
      code: 'api-unknown',
    });
    const blocked = { success: false, reason: 'BLOCKED', retryAfter: null, policies: [] };
    expect(await node.plane.limit({ ...create, api: 'strict', operation: 'listURLs' })).toMatchObject(
      blocked,
    );
    expect(await node.plane.limit({ ...create, tenant: 'idle' })).toMatchObject(blocked);
  });

  it.each<[ProblemCode, Partial<LimitRequest>]>([
    ['tenant-unknown', { tenant: 'nobody' }],
    ['dimension-missing', {}],
    ['dimension-missing', { subject: { user: 'u1' } }],
    ['dimension-invalid', { subject: { user: 'u1', ip: 'not-an-address' } }],
  ])('throws %s for %j, and creates no counter', async (code, over) => {
    const limits = [fixedWindowPolicy({ per: ['user', 'ip'], onMissing: 'refuse', limit: 1, ...HOUR })];
    await node.inForce(await node.relay.publish({ limits, tenants: [node.relay.tenant('acme')] }));
    await expect(node.plane.limit({ ...create, ...over })).rejects.toMatchObject({
      code,
      retryable: PROBLEMS[code].retryable,
    });
    const redis = new Redis(node.server.url);
    expect(await redis.keys('{*')).toEqual([]);
    redis.disconnect();
  });

  it('a tenant that changes tier is decided by the new one, with the same counter', async () => {
    const limit = (n: number) => [{ number: 1, limits: [fixedWindowPolicy({ limit: n, ...HOUR })] }];
    const tiers = [
      { key: 'free', currentVersion: 1, versions: limit(1) },
      { key: 'pro', currentVersion: 1, versions: limit(10) },
    ];
    await node.inForce(await node.relay.publish({ tiers, tenants: [node.relay.tenant('acme')] }));
    await node.plane.limit(create);
    expect(await node.plane.limit(create)).toMatchObject({ success: false, limit: 1 });
    await node.inForce(await node.relay.publishTenants([node.relay.tenant('acme', { tier: 'pro' })]));
    expect(await node.plane.limit(create)).toMatchObject({ success: true, limit: 10, remaining: 8 });
  });
});
