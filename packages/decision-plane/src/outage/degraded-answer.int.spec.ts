import { RedisStore } from '@tollgate/limiter/stores';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { policyBy } from '../../../limiter/test/policies.js';
import { Engine } from '../decide/engine.js';
import { TestPolicies } from '../testing/test-plane.js';
import { UsageRows } from '../usage/usage-aggregator.js';

// Nothing listens at port 1.
let store: RedisStore;
beforeAll(() => {
  store = new RedisStore({ url: 'redis://127.0.0.1:1', onFailure: () => undefined });
});
afterAll(() => store.close());

it('reports the remaining share, and no usage, in a degraded decision', async () => {
  const rows = new UsageRows();
  const rule = { algorithm: 'fixed_window', limit: 100, windowMs: 86_400_000, alignment: 'clock' } as const;
  const engine = new Engine({
    nodeId: 'node-1',
    epoch: 'e',
    store,
    exchangePool: () => Promise.reject(new Error('there is no pool')),
    policies: new TestPolicies({ limits: [policyBy(rule, { operations: ['createURL'] })] }),
    usage: { tally: (...of) => rows.tally(...of), addCrossings: () => undefined },
    nodes: () => 4,
    onReply: () => undefined,
    onBudgetSpent: () => undefined,
    onError: () => undefined,
  });
  const answer = await engine.limit({ tenant: 'acme', api: 'url-shortener', operation: 'createURL' });
  expect(answer).toMatchObject({ degraded: true, success: true, limit: 100, remaining: 24, used: null });
  await engine.close();
});
