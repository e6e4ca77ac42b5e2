import type { ApiRecord, LimitPolicy, LimitRequest } from '@tollgate/contracts';
import { TRAFFIC_FLAGS } from '@tollgate/replay';
import { expect, it } from 'vitest';
import { policyBy } from '../../limiter/test/policies.js';
import { MemoryNode } from '../src/api/replay-node.js';
import { TestPolicies } from '../src/testing/test-plane.js';
import { recordingTraffic, SITE, tenantOf } from './recorded-traffic.js';

const START_US = 1_790_000_000_000_000;
const WINDOW = { algorithm: 'fixed_window', limit: 4, windowMs: 60_000, alignment: 'clock' } as const;
const read: LimitRequest = { tenant: 'acme', api: 'site', operation: 'read', subject: { user: 'u1' } };

/** A node with one limit of 4 a minute on the API `site`. */
function recordingNode(limit: Partial<LimitPolicy> = {}, apis: readonly ApiRecord[] = [SITE]) {
  const { traffic, blocks } = recordingTraffic('n1');
  const limits = [policyBy(WINDOW, { api: 'site', name: 'per-minute', ...limit })];
  const policies = new TestPolicies({ limits, apis: [...apis], tenants: [tenantOf('acme')] });
  const node = new MemoryNode({ nodeId: 'n1', epoch: 'e', policies, traffic, clockUs: () => START_US });
  const recorded = async () =>
    (await blocks()).flatMap((block) =>
      Array.from({ length: block.rows }, (_, row) => {
        const verdict = block.verdicts[block.verdict[row] ?? -1];
        return { atUs: block.atUs[row], cost: block.cost[row], ...verdict };
      }),
    );
  return { engine: node.engine, recorded };
}

it('records outcome, limit, cost and revision of each answer, and neither peeks nor repeated requests', async () => {
  const { engine, recorded } = recordingNode();
  const answers = [
    await engine.limit({ ...read, operation: 'write' }),
    await engine.limit({ ...read, requestId: 'r1' }),
    await engine.limit(read),
  ];
  await engine.limit({ ...read, requestId: 'r1' });
  await engine.peek(read);
  expect(await recorded()).toEqual(
    answers.map(({ success, cost, policy, revision }, i) => ({
      atUs: START_US,
      cost,
      outcome: success ? 'allowed' : 'denied',
      limit: policy,
      revision,
      flags: i === 1 ? TRAFFIC_FLAGS.receipt : 0,
    })),
  );
  expect(answers.map(({ success }) => success)).toEqual([true, true, false]);
  await engine.close();
});

it('flags decisions of a lease', async () => {
  const { engine, recorded } = recordingNode({
    consistency: { mode: 'leased', leaseMs: 1000 },
    limit: 1000,
  } as Partial<LimitPolicy>);
  for (let i = 0; i < 50; i++) {
    await engine.limit(read);
    // Leases are granted between requests.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const flags = new Set((await recorded()).map((row) => row.flags));
  expect(flags).toEqual(new Set([0, TRAFFIC_FLAGS.leased]));
  await engine.close();
});

it('flags operations with a pool', async () => {
  const pools = [{ name: 'workers', operations: [], capacity: 10, reclaimPercent: 80 }];
  const { engine, recorded } = recordingNode({}, [{ ...SITE, pools }]);
  await engine.limit(read);
  expect((await recorded()).map(({ flags }) => flags)).toEqual([TRAFFIC_FLAGS.pooled]);
  await engine.close();
});

it('flags requests that are decided as one, or by a limit of the caller', async () => {
  const { engine, recorded } = recordingNode();
  await engine.limitTogether([read], { unknownCaller: 'deny' });
  await engine.limitTogether([read, { ...read, subject: { user: 'u2' } }], { unknownCaller: 'deny' });
  await engine.limitTogether([{ ...read, override: { limit: 5, windowMs: 1000 } }], {
    unknownCaller: 'deny',
  });
  const { together } = TRAFFIC_FLAGS;
  expect((await recorded()).map(({ flags }) => flags)).toEqual([0, together, together, together]);
  await engine.close();
});
