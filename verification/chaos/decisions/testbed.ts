import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LimitPolicy } from '@tollgate/contracts';
import { type EmbeddedRedis, startRedis } from '@tollgate/embedded';
import { type FaultProxy, startFaultProxy } from '@tollgate/limiter/testing';
import { startRealRedis } from '@tollgate/test-kit';
import { TestRelay } from '../../../packages/decision-plane/src/testing/test-relay.js';
import { startRedisCluster, type TestRedisCluster } from '../../../packages/limiter/test/redis-cluster.ts';
import { ChildNode } from './child-node.ts';
import { LocalNode, TESTBED_API } from './local-node.ts';
import type { NodeSetup, TestbedNode } from './testbed-node.ts';

export interface TestbedOptions {
  readonly isolation: 'process' | 'none';
  readonly nodes: number;
  readonly limits: readonly LimitPolicy[];
  /** Default: only `acme`. */
  readonly tenants?: readonly string[];
  /** Default 1. */
  readonly clients?: number;
  /** Three masters, three replicas, and no proxy; default: one server. */
  readonly cluster?: boolean;
  /** Proxies between nodes and counters; default none. `own`: one per node, so that one can be disconnected. */
  readonly proxy?: 'none' | 'shared' | 'own';
  readonly redisArgs?: readonly string[];
  readonly setup?: Partial<NodeSetup>;
  /** Offset of each node's clock, ms; default 0. */
  readonly clocksAheadMs?: readonly number[];
}

const LIVE_WITHIN_MS = 20_000;
const BACK_WITHIN_MS = 20_000;

/** Decision nodes, their two Redis servers and proxies. */
export class Testbed {
  readonly nodes: TestbedNode[] = [];
  readonly relay: TestRelay;
  cluster: TestRedisCluster | undefined;
  private readonly options: TestbedOptions;
  private readonly config: EmbeddedRedis;
  private redis: EmbeddedRedis | undefined;
  private readonly proxies: FaultProxy[] = [];
  private readonly home = mkdtempSync(join(tmpdir(), 'tollgate-testbed-'));
  private made = 0;

  private constructor(options: TestbedOptions, config: EmbeddedRedis) {
    this.options = options;
    this.config = config;
    this.relay = new TestRelay(config.url);
  }

  static async open(options: TestbedOptions): Promise<Testbed> {
    const testbed = new Testbed(options, await startRealRedis());
    try {
      await testbed.build();
      return testbed;
    } catch (error) {
      await testbed.close();
      throw error;
    }
  }

  /** The counter server. */
  get counters(): EmbeddedRedis {
    if (this.redis === undefined) throw new Error('the counters are a cluster');
    return this.redis;
  }

  /** The proxy shared by all nodes. */
  get proxy(): FaultProxy {
    const [proxy] = this.proxies;
    if (proxy === undefined) throw new Error('the testbed has no proxy');
    return proxy;
  }

  /** Starts an additional node. */
  async addNode(over: Partial<NodeSetup> = {}): Promise<TestbedNode> {
    const { isolation, clients = 1, setup, clocksAheadMs } = this.options;
    const number = this.made++;
    const { url, cut } = await this.wayToCounters(number);
    const full: NodeSetup = {
      id: `node-${number}`,
      countersUrl: url,
      configUrl: this.config.url,
      clients,
      clockAheadMs: clocksAheadMs?.[number] ?? 0,
      ...setup,
      ...over,
    };
    const node = isolation === 'process' ? await ChildNode.start(full) : await LocalNode.start(full, cut);
    this.nodes.push(node);
    return node;
  }

  /** Crashes a node and removes it from the testbed. */
  async killNode(node: TestbedNode): Promise<void> {
    await node.kill();
    this.nodes.splice(this.nodes.indexOf(node), 1);
    // A node in this process can only be disconnected; its timers must be stopped.
    if (this.options.isolation === 'none') await node.close();
  }

  /** Resolves once every node counts `count` live ones. */
  async nodesKnown(count: number): Promise<void> {
    const endMs = performance.now() + LIVE_WITHIN_MS;
    for (;;) {
      const seen = await Promise.all(this.nodes.map((node) => node.liveNodes()));
      if (seen.every((live) => live === count)) return;
      if (performance.now() > endMs)
        throw new Error(`nodes count ${seen.join(', ')} live ones, not ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Resolves once every node gets replies from the store again. */
  async decidesByStore(): Promise<void> {
    const [limit] = this.options.limits;
    const { tenants: [tenant = 'acme'] = [] } = this.options;
    const request = {
      tenant,
      api: TESTBED_API,
      operation: limit?.operations[0] ?? '',
      subject: { user: 'nobody' },
    };
    const endMs = performance.now() + BACK_WITHIN_MS;
    const isAnswered = async (node: TestbedNode) =>
      (await node.ask([request], 'peek')).every(({ fromStore }) => fromStore);
    for (const node of this.nodes) {
      while (!(await isAnswered(node))) {
        if (performance.now() > endMs) throw new Error(`${node.id} still decides without the store`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  /** Restarts the killed counter server on the same port, with its data on disk. */
  async restartCounters(moreArgs: readonly string[] = []): Promise<void> {
    const { port } = this.counters;
    await this.counters.stop();
    this.redis = await this.startCounters([...(this.options.redisArgs ?? []), ...moreArgs], port);
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    this.relay.close();
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    await Promise.all([this.config.stop(), this.redis?.stop(), this.cluster?.stop()]);
    rmSync(this.home, { recursive: true, force: true });
  }

  private async build(): Promise<void> {
    const { cluster = false, redisArgs = [], limits, tenants = ['acme'], nodes, proxy } = this.options;
    if (cluster) this.cluster = await startRedisCluster();
    else this.redis = await this.startCounters(redisArgs);
    if (proxy === 'shared') this.proxies.push(await startFaultProxy(this.counters.port));
    const names = new Set(limits.flatMap(({ operations }) => operations));
    await this.relay.publish({
      apis: [
        {
          key: TESTBED_API,
          unknownOperations: 'refuse',
          operations: [...names].map((name) => ({ name, cost: 1 })),
        },
      ],
      limits: [...limits],
      tenants: tenants.map((tenant) => this.relay.tenant(tenant)),
    });
    await Promise.all(Array.from({ length: nodes }, () => this.addNode()));
    // Otherwise, nodes that start faster would come first.
    this.nodes.sort((a, b) => a.id.localeCompare(b.id));
  }

  private startCounters(extraArgs: readonly string[], port?: number): Promise<EmbeddedRedis> {
    const at = port === undefined ? {} : { port };
    const dir = join(this.home, 'counters');
    return startRedis({ dir, durable: false, kind: 'redis-server', extraArgs: [...extraArgs], ...at });
  }

  private async wayToCounters(number: number): Promise<{ url: string; cut: () => Promise<void> }> {
    const uncut = () => Promise.resolve();
    if (this.cluster !== undefined) return { url: this.cluster.url, cut: uncut };
    const { proxy = 'none' } = this.options;
    if (proxy === 'none') return { url: this.counters.url, cut: uncut };
    if (proxy === 'own') this.proxies[number] = await startFaultProxy(this.counters.port);
    const own = proxy === 'own' ? this.proxies[number] : this.proxy;
    if (own === undefined) throw new Error('the testbed has no proxy');
    return { url: `redis://127.0.0.1:${own.port}`, cut: proxy === 'own' ? () => own.close() : uncut };
  }
}
