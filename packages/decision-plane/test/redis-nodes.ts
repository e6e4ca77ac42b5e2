import type { LimitPolicy } from '@tollgate/contracts';
import { Engine } from '../src/decide/engine.js';
import { RedisStore } from '../src/store/redis/redis-store.js';
import { TestPolicies } from '../src/testing/test-plane.js';
import { UsageRows } from '../src/usage/usage-aggregator.js';

/** Engines on one Redis, each with its own connection. */
export class RedisNodes {
  readonly engines: readonly Engine[];
  private readonly stores: readonly RedisStore[];

  private constructor(url: string, count: number, limits: LimitPolicy[], deadlineMs?: number) {
    const usage = new UsageRows();
    this.stores = Array.from(
      { length: count },
      () => new RedisStore({ url, ...(deadlineMs === undefined ? {} : { deadlineMs }) }),
    );
    this.engines = this.stores.map(
      (store, i) =>
        new Engine({
          nodeId: `node-${i}`,
          epoch: 'e',
          store,
          deadlineMs,
          exchangePool: () => Promise.reject(new Error('no pools')),
          policies: new TestPolicies({ limits }),
          usage: { tally: (...of) => usage.tally(...of), addCrossings: () => undefined },
          nodes: () => count,
          onReply: () => undefined,
          onBudgetSpent: () => undefined,
          onError: () => undefined,
        }),
    );
  }

  static async start(
    url: string,
    count: number,
    limits: LimitPolicy[],
    deadlineMs?: number,
  ): Promise<RedisNodes> {
    const nodes = new RedisNodes(url, count, limits, deadlineMs);
    await Promise.all(nodes.stores.map((store) => store.connected(10_000)));
    return nodes;
  }

  async close(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
  }
}
