import { RedisStore } from '@tollgate/limiter/stores';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { policyBy } from '../../../limiter/test/policies.js';
import { CounterBook } from '../counters/counter-book.js';
import { KeyBudget } from '../counters/key-budget.js';
import { DegradedMode } from '../outage/degraded-mode.js';
import { LastKnown } from '../outage/local-shares.js';
import { TestPolicies } from '../testing/test-plane.js';
import { Amender } from './amender.js';
import { resolve } from './resolve.js';
import { TenantOperation } from './tenant-operations.js';
import { TenantPolicies } from './tenant-policies.js';

const request = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const rule = { algorithm: 'fixed_window', limit: 10, windowMs: 86_400_000, alignment: 'clock' } as const;

// Nothing listens at port 1.
let store: RedisStore;
beforeAll(() => {
  store = new RedisStore({ url: 'redis://127.0.0.1:1', onFailure: () => undefined });
});
afterAll(() => store.close());

it('returns unavailable for refunds and resets in an outage, and changes no local share', async () => {
  const policies = new TenantPolicies(
    new TestPolicies({ limits: [policyBy(rule, { operations: ['createURL'] })] }),
    Date.now,
  );
  const degraded = new DegradedMode(new LastKnown());
  const counters = new CounterBook(new KeyBudget({ onSpent: () => undefined }));
  const amender = new Amender({
    store,
    policies,
    degraded,
    checkpoints: undefined,
    counters,
    unknownApis: 'deny',
    nowMs: Date.now,
  });
  const at = policies.find('acme');
  const admitted = () => {
    if (at === undefined) throw new Error('there is no tenant');
    const operation = new TenantOperation(at, request.api, request.operation, Date.now());
    const resolution = resolve(operation, request, Date.now(), {
      counters,
      unknownApis: 'deny',
      peek: false,
    });
    if (resolution.kind !== 'limited') throw new Error(resolution.kind);
    const { results } = degraded.charge(resolution.limits.applied, 1, false);
    return results[0]?.allowed;
  };
  for (let i = 0; i < 10; i++) expect(admitted()).toBe(true);
  for (let i = 0; i < 2; i++) {
    expect(await amender.refund({ ...request, cost: 9 })).toMatchObject({
      status: 'unavailable',
      returned: 0,
    });
    expect(await amender.reset(request)).toMatchObject({ status: 'unavailable' });
  }
  expect(admitted()).toBe(false);
});
