import type { LimitRequest, TenantRecord } from '@tollgate/contracts';
import { MemoryStore, type StoreReply, type StoreRequest } from '@tollgate/limiter/stores';
import { expect, it } from 'vitest';
import { policyBy } from '../../../limiter/test/policies.js';
import { TestPolicies } from '../testing/test-plane.js';
import { UsageRows } from '../usage/usage-aggregator.js';
import { Engine } from './engine.js';

const create: LimitRequest = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

/** Throws an unexpected error for one tenant. */
class FaultyPolicies extends TestPolicies {
  override findTenant(key: string): TenantRecord | null {
    if (key === 'faulty') throw new RangeError('a fault of ours');
    return super.findTenant(key);
  }
}

/** A store whose calls this process sends too late, for one tenant. */
class StarvedStore extends MemoryStore {
  override charge(request: StoreRequest): Promise<StoreReply> {
    const isStarved = request.checks.some(({ key }) => key.startsWith('{starved}'));
    return isStarved ? Promise.resolve({ available: false, reason: 'overloaded' }) : super.charge(request);
  }
}

function engineOf(store: MemoryStore, replies: StoreReply[] = [], errors: string[] = []): Engine {
  const rows = new UsageRows();
  const rule = { algorithm: 'fixed_window', limit: 3, windowMs: 60_000, alignment: 'clock' } as const;
  return new Engine({
    nodeId: 'node-1',
    epoch: 'e',
    store,
    exchangePool: () => Promise.reject(new Error('there is no pool')),
    policies: new FaultyPolicies({ limits: [policyBy(rule, { operations: ['createURL'] })] }),
    usage: { tally: (...of) => rows.tally(...of), addCrossings: () => undefined },
    nodes: () => 1,
    onReply: (reply) => replies.push(reply),
    onBudgetSpent: () => undefined,
    onError: (message, error) => errors.push(`${message}: ${String(error)}`),
  });
}

it('sheds a request that the process sends too late, because the store still has its units', async () => {
  const replies: StoreReply[] = [];
  const engine = engineOf(new StarvedStore(), replies);
  const starved = { ...create, tenant: 'starved' };
  await expect(engine.limit(starved)).rejects.toMatchObject({ code: 'overloaded' });
  await expect(engine.limitTogether([create, starved], { unknownCaller: 'allow' })).rejects.toMatchObject({
    code: 'overloaded',
  });
  // An outage would begin with such a reply.
  expect(replies).toEqual([]);
  expect(await engine.limitMany([starved, create])).toMatchObject([
    { code: 'overloaded', status: 503 },
    { success: true },
  ]);
  await engine.close();
});

it('returns a problem for the failed request of a batch and answers the others', async () => {
  const told: string[] = [];
  const engine = engineOf(new MemoryStore(), [], told);
  const answers = await engine.limitMany([
    create,
    { ...create, tenant: 'faulty', requestId: 'r-1' },
    { ...create, cost: 0 },
    create,
  ]);
  expect(answers).toMatchObject([
    { success: true },
    { code: 'internal', status: 500, requestId: 'r-1' },
    { code: 'body-invalid' },
    { success: true },
  ]);
  expect(told).toEqual(['a request failed: RangeError: a fault of ours']);
  await engine.close();
});
