import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import {
  DECIDE_ACROSS_SCRIPT,
  RUN_FIRST_REQUEST_ACROSS_SCRIPT,
  RUN_PACKED_ACROSS_SCRIPT,
  RUN_SUBJECT_ACROSS_SCRIPT,
  RUN_VIRTUAL_TIME_ACROSS_SCRIPT,
  RUN_WINDOW_ACROSS_SCRIPT,
} from '../generated/scripts.js';
import { accessOptions, watchConnections } from '../redis/connection.js';
import { DECISION_PATH_OPTIONS, prepareForDecisions } from '../redis/redis-store.js';
import type { RedisAddress } from '../stores/redis-address.js';

export type NodeKey = string;

const REFRESH_INTERVAL_MS = 250;
const POLL_MS = 10;

/** Between questions to the replicas of a master that does not answer, and for how long. */
const SUSPECT_EVERY_MS = 50;
const SUSPECT_FOR_MS = 20_000;

/** Nodes may have an old slot table for this long after a failover. */
const OLD_TABLE_MS = 3000;

const VARIANTS = [
  DECIDE_ACROSS_SCRIPT,
  RUN_FIRST_REQUEST_ACROSS_SCRIPT,
  RUN_VIRTUAL_TIME_ACROSS_SCRIPT,
  RUN_WINDOW_ACROSS_SCRIPT,
  RUN_PACKED_ACROSS_SCRIPT,
  RUN_SUBJECT_ACROSS_SCRIPT,
];

export interface ClusterShardsOptions {
  readonly address: RedisAddress;
  readonly onReady: (node: NodeKey) => void;
  readonly onGone: (node: NodeKey) => void;
  readonly onError: (error: Error) => void;
}

export class ClusterShards {
  /** Follows redirects. Not used for decisions and amendments. */
  readonly cluster: Cluster;
  /** As of {@link CounterStore}. */
  connections = 0;
  private readonly nodes = new Map<NodeKey, Redis>();
  private refreshedMs = 0;
  private readonly suspects = new Set<NodeKey>();
  /** By former master: its successor, while nodes may have an old slot table. */
  private readonly successors = new Map<NodeKey, NodeKey>();
  private isClosed = false;

  constructor(private readonly options: ClusterShardsOptions) {
    const { address, onGone, onError } = options;
    const { retryStrategy } = DECISION_PATH_OPTIONS;
    this.cluster = new Cluster([...address.hosts], {
      enableOfflineQueue: false,
      maxRedirections: 2,
      retryDelayOnFailover: 50,
      retryDelayOnClusterDown: 50,
      slotsRefreshInterval: 1000,
      slotsRefreshTimeout: 500,
      clusterRetryStrategy: retryStrategy,
      // By default, ioredis never reconnects to a lost node.
      clusterNodeRetryStrategy: retryStrategy,
      redisOptions: { ...DECISION_PATH_OPTIONS, ...accessOptions(address) },
    });
    this.cluster.on('error', onError);
    this.cluster.on('refresh', () => {
      for (const [node, successor] of this.successors) this.succeed(node, successor);
    });
    this.cluster.on('node error', onError);
    this.cluster.on('+node', (redis: Redis) => this.add(redis));
    this.cluster.on('-node', (redis: Redis) => {
      const key = keyOf(redis);
      if (this.nodes.get(key) !== redis) return;
      this.nodes.delete(key);
      onGone(key);
    });
  }

  /** Resolves once every master is connected; rejects after `timeoutMs`. */
  async connected(timeoutMs: number): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    while (!this.isWhole()) {
      if (performance.now() > endMs) throw new Error(`Redis Cluster did not answer within ${timeoutMs} ms`);
      // Unreferenced, so that a closed store does not keep the process alive.
      await delay(POLL_MS, undefined, { ref: false });
    }
  }

  ownerOf(slot: number): NodeKey | undefined {
    return this.cluster.slots[slot]?.[0];
  }

  /** Connection to a node; undefined unless it is ready. */
  readyConnection(node: NodeKey): Redis | undefined {
    const redis = this.nodes.get(node);
    return redis?.status === 'ready' ? redis : undefined;
  }

  /** In any state. @throws Error if the master is unknown */
  clientOf(slot: number): Redis {
    const redis = this.nodes.get(this.ownerOf(slot) ?? '');
    if (redis === undefined) throw new Error('Redis Cluster is not connected');
    return redis;
  }

  knows(node: NodeKey): boolean {
    return this.nodes.has(node);
  }

  learn(slot: number, node: NodeKey): void {
    // Not changed in place: ioredis shares one array among the slots of a range.
    this.cluster.slots[slot] = [node];
    this.refresh();
  }

  refresh(): void {
    const nowMs = performance.now();
    if (nowMs - this.refreshedMs < REFRESH_INTERVAL_MS) return;
    this.refreshedMs = nowMs;
    this.cluster.refreshSlotsCache();
  }

  /**
   * A master is late or lost: asks its replicas whether one has taken over, until the master answers. The slot tables of other
   * nodes are up to two seconds older.
   */
  suspect(node: NodeKey): void {
    if (this.suspects.has(node)) return;
    this.suspects.add(node);
    void this.findSuccessor(node).finally(() => this.suspects.delete(node));
  }

  close(): void {
    this.isClosed = true;
    this.cluster.disconnect();
  }

  private async findSuccessor(node: NodeKey): Promise<void> {
    const slot = this.cluster.slots.findIndex((nodes) => nodes[0] === node);
    const replicas = this.cluster.slots[slot]?.slice(1) ?? [];
    const endMs = performance.now() + SUSPECT_FOR_MS;
    let isAnswering = false;
    const master = this.readyConnection(node)?.ping();
    master?.then(
      () => (isAnswering = true),
      () => undefined,
    );
    while (!isAnswering && !this.isClosed && performance.now() < endMs) {
      const roles = await Promise.all(replicas.map((replica) => this.isMaster(replica)));
      const successor = replicas[roles.indexOf(true)];
      if (successor !== undefined) {
        this.successors.set(node, successor);
        setTimeout(() => this.successors.delete(node), OLD_TABLE_MS).unref();
        this.succeed(node, successor);
        return;
      }
      await delay(SUSPECT_EVERY_MS, undefined, { ref: false });
    }
  }

  private async isMaster(node: NodeKey): Promise<boolean> {
    const info = await this.readyConnection(node)
      ?.info('replication')
      .catch(() => undefined);
    return info?.includes('role:master') === true;
  }

  private succeed(node: NodeKey, successor: NodeKey): void {
    const { slots } = this.cluster;
    const nodes = [successor];
    for (const [slot, owners] of slots.entries()) if (owners[0] === node) slots[slot] = nodes;
  }

  private isWhole(): boolean {
    const owners = new Set(this.cluster.slots.map((nodes) => nodes[0]));
    return (
      this.cluster.status === 'ready' &&
      owners.size > 0 &&
      [...owners].every((node) => node !== undefined && this.readyConnection(node))
    );
  }

  // Includes replicas: any of them may be promoted.
  private add(redis: Redis): void {
    const node = keyOf(redis);
    this.nodes.set(node, redis);
    redis.on('ready', () => this.options.onReady(node));
    watchConnections(redis, () => this.connections++);
    // The target of a migrating slot must know the scripts, because sending their text would take a second ASKING.
    prepareForDecisions(redis, VARIANTS);
    if (redis.status === 'wait') redis.connect().catch(() => undefined);
  }
}

function keyOf({ options }: Redis): NodeKey {
  return `${options.host}:${options.port}`;
}
