import type { LimitPolicy } from '@tollgate/contracts';
import type { HandTime } from '../../limiter/test/hand-time.js';
import type { LaneGroup } from '../../limiter/test/parts.js';
import { Engine } from '../src/decide/engine.js';
import { TestPolicies } from '../src/testing/test-plane.js';
import { UsageRows } from '../src/usage/usage-aggregator.js';

/** One of two nodes that share limits, with its counters behind `lanes`. */
export function engineOn(lanes: LaneGroup, limits: LimitPolicy[], time: HandTime): Engine {
  const usage = new UsageRows();
  return new Engine({
    nodeId: 'node',
    epoch: 'e',
    store: {
      charge: (request) => lanes.charge(request),
      amend: (amendment) => lanes.amend(amendment),
      close: () => Promise.resolve(lanes.close()),
    },
    exchangePool: () => Promise.reject(new Error('no pools')),
    policies: new TestPolicies({ limits }),
    usage: { tally: (...of) => usage.tally(...of), addCrossings: () => undefined },
    nodes: () => 2,
    onReply: () => undefined,
    onBudgetSpent: () => undefined,
    onError: () => undefined,
    clockUs: () => time.nowMs() * 1000,
  });
}
