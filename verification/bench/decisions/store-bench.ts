import { RedisStore } from '../../../packages/limiter/src/redis/redis-store.js';
import { type BenchOptions, whereMeasured } from '../measure.ts';
import { thousands } from '../table.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { checkOf, compiledBy, RULES, randomNumber } from './fixtures.ts';

const TENANTS = 1_000;

/** A store on a server of its benchmark. */
export class StoreBench {
  readonly server: BenchServer;
  private readonly store: RedisStore;
  private readonly keys: number;

  private constructor(server: BenchServer, store: RedisStore, keys: number) {
    this.server = server;
    this.store = store;
    this.keys = keys;
  }

  static async open(keys: number, { rounds, ms }: BenchOptions): Promise<StoreBench> {
    const server = await startBenchServer();
    const store = new RedisStore({ url: server.url, deadlineMs: 1000 });
    await store.connected(5000);
    console.log(
      `${whereMeasured()}; ${server.kind}, ${thousands(keys)} keys, median of ${rounds} interleaved rounds of ${ms} ms`,
    );
    return new StoreBench(server, store, keys);
  }

  /** Decides for a random user with `count` limits of one rule, like an in-process caller. */
  decide(rule: string, count = 1, storage: 'key' | 'subject' = 'key'): () => Promise<unknown> {
    const limits = Array.from({ length: count }, (_, i) => {
      const of = RULES[rule];
      if (of === undefined) throw new Error(`no rule ${rule}`);
      return compiledBy(of, `${rule.replaceAll(/[^a-z0-9]+/g, '-')}-${i}`, { storage });
    });
    return () => {
      const n = randomNumber(this.keys);
      return this.store.charge({ checks: limits.map((limit) => checkOf(limit, n, TENANTS)), peek: false });
    };
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.server.stop();
  }
}
