import type { LimitRequest, TenantRecord } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { policyBy } from '../../test/policies.js';
import { MemoryStore } from '../store/memory/memory-store.js';
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

it('returns a problem for the failed request of a batch and answers the others', async () => {
  const rows = new UsageRows();
  const told: string[] = [];
  const rule = { algorithm: 'fixed_window', limit: 3, windowMs: 60_000, alignment: 'clock' } as const;
  const engine = new Engine({
    nodeId: 'node-1',
    epoch: 'e',
    store: new MemoryStore(),
    exchangePool: () => Promise.reject(new Error('there is no pool')),
    policies: new FaultyPolicies({ limits: [policyBy(rule, { operations: ['createURL'] })] }),
    usage: { tally: (...of) => rows.tally(...of), addCrossings: () => undefined },
    nodes: () => 1,
    onReply: () => undefined,
    onBudgetSpent: () => undefined,
    onError: (message, error) => told.push(`${message}: ${String(error)}`),
  });
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
