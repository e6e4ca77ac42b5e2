import type { CapacityReport, LimitRequest } from '@tollgate/contracts';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, it } from 'vitest';
import { fixedWindowPolicy } from '../../limiter/test/policies.js';
import { useRunningNode } from './running-node.js';

const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const NO_AMOUNTS = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 2 ** 53, 1e308, '1', true, null, {}, []];

describe('invalid arguments of callers in the same process, despite their types', () => {
  const node = useRunningNode();
  beforeEach(async () => {
    const limits = [
      fixedWindowPolicy({ per: ['user'], limit: 3, windowMs: 3_600_000, alignment: 'first_request' }),
    ];
    await node.inForce(await node.relay.publish({ limits, tenants: [node.relay.tenant('acme')] }));
  });

  const user = (name: string) => ({ ...create, subject: { user: name } });
  const isRefused = { code: 'body-invalid' };

  it.each(NO_AMOUNTS)(
    'rejects a cost of %s, charges nothing, and does not affect the other requests',
    async (cost) => {
      const bad = { ...user('u1'), cost: cost as number };
      const [refused, looked, reserved, beside] = await Promise.allSettled([
        node.plane.limit(bad),
        node.plane.peek(bad),
        node.plane.reserve(bad),
        node.plane.limit(user('u2')),
      ]);
      for (const one of [refused, looked, reserved]) {
        expect(one).toMatchObject({
          status: 'rejected',
          reason: {
            ...isRefused,
            errors: expect.arrayContaining([expect.objectContaining({ field: 'cost' })]),
          },
        });
      }
      expect(beside).toMatchObject({
        status: 'fulfilled',
        value: { success: true, remaining: 2, degraded: false },
      });
      expect(await node.plane.limit(user('u2'))).toMatchObject({ remaining: 1, degraded: false });
      expect(await node.plane.limit(user('u1'))).toMatchObject({ remaining: 2 });
      expect(await node.plane.limitMany([bad, user('u1')])).toMatchObject([
        isRefused,
        { success: true, remaining: 1 },
      ]);
    },
  );

  it('rejects identifiers of 1 MB, empty ones and non-texts, and creates no counter', async () => {
    for (const value of ['x'.repeat(1_000_000), '', 5, null, {}, [], true]) {
      await expect(node.plane.limit(user(value as string))).rejects.toMatchObject(isRefused);
    }
    for (const requestId of ['x'.repeat(1_000_000), '', 7, '\ud800', 'a b']) {
      await expect(node.plane.limit({ ...user('u1'), requestId: requestId as string })).rejects.toMatchObject(
        isRefused,
      );
    }
    const redis = new Redis(node.server.url);
    expect(await redis.keys('{*')).toEqual([]);
    redis.disconnect();
  });

  it.each(NO_AMOUNTS)('every verb with an amount rejects %s', async (amount) => {
    const answer = await node.plane.reserve({ ...user('u1'), requestId: 'r-1', cost: 2 });
    expect(answer).toMatchObject({ success: true, remaining: 1 });
    const cost = amount as number;
    await expect(node.plane.settle({ tenant: 'acme', requestId: 'r-1', cost })).rejects.toMatchObject(
      isRefused,
    );
    await expect(node.plane.refund({ ...user('u1'), cost })).rejects.toMatchObject(isRefused);
    await expect(node.plane.reserve({ ...user('u1'), expiresInMs: cost })).rejects.toMatchObject(isRefused);
    if (typeof amount !== 'number' || !(amount >= 0 && amount <= 1000)) {
      const report = {
        api: 'url-shortener',
        pool: 'p',
        service: 's',
        utilizationPercent: cost,
      } as CapacityReport;
      expect(() => node.plane.reportCapacity(report)).toThrow(expect.objectContaining(isRefused));
    }
    expect(await node.plane.peek(user('u1'))).toMatchObject({ remaining: 1 });
    expect(await node.plane.settle({ tenant: 'acme', requestId: 'r-1', cost: 0 })).toMatchObject({
      status: 'applied',
    });
  });

  it('rejects a request that is not an object', async () => {
    for (const body of [null, undefined, 5, 'x', []]) {
      await expect(node.plane.limit(body as never)).rejects.toMatchObject(isRefused);
      await expect(node.plane.settle(body as never)).rejects.toMatchObject(isRefused);
    }
  });
});
