import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { DECISION_PATH_OPTIONS, loadScriptsOn } from '../redis/redis-store.js';

export interface ClusterAddress {
  readonly kind: 'cluster';
  /** At least one; the client discovers the others. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
}

/** `host:port` of a node, as the cluster names it. */
export type NodeKey = string;

/** The slot table is read as often when it may be wrong. */
const REFRESH_INTERVAL_MS = 250;

const POLL_MS = 10;

/** A cluster's nodes, a connection to each, and who serves which slot. */
export class ClusterShards {
  /** Follows redirects by itself: for what is neither a decision nor a change of counters. */
  readonly cluster: Cluster;
  private readonly nodes = new Map<NodeKey, Redis>();
  private refreshedMs = 0;

  /** @param onGone told of a node that left the cluster */
  constructor(address: ClusterAddress, onGone: (node: NodeKey) => void, onError: (error: Error) => void) {
    const { retryStrategy } = DECISION_PATH_OPTIONS;
    this.cluster = new Cluster([...address.nodes], {
      enableOfflineQueue: false,
      maxRedirections: 2,
      retryDelayOnFailover: 50,
      retryDelayOnClusterDown: 50,
      slotsRefreshInterval: 1000,
      slotsRefreshTimeout: 500,
      clusterRetryStrategy: retryStrategy,
      // The client's default never dials a lost node again.
      clusterNodeRetryStrategy: retryStrategy,
      redisOptions: {
        ...DECISION_PATH_OPTIONS,
        ...(address.username === undefined ? {} : { username: address.username }),
        ...(address.password === undefined ? {} : { password: address.password }),
        ...(address.tls ? { tls: {} } : {}),
      },
    });
    this.cluster.on('error', onError);
    this.cluster.on('node error', onError);
    this.cluster.on('+node', (redis: Redis) => this.add(redis));
    this.cluster.on('-node', (redis: Redis) => {
      const key = keyOf(redis);
      if (this.nodes.get(key) !== redis) return;
      this.nodes.delete(key);
      onGone(key);
    });
  }

  /** Resolves once every slot's master can be asked; rejects after `timeoutMs`. */
  async connected(timeoutMs: number): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    while (!this.isWhole()) {
      if (performance.now() > endMs)
        throw new Error(`the Redis Cluster did not answer within ${timeoutMs} ms`);
      // A store that is closed meanwhile does not keep its process alive; one that tries to connect does.
      await delay(POLL_MS, undefined, { ref: false });
    }
  }

  ownerOf(slot: number): NodeKey | undefined {
    return this.cluster.slots[slot]?.[0];
  }

  /** The connection to a node that takes commands now; undefined when there is none. */
  readyConnection(node: NodeKey): Redis | undefined {
    const redis = this.nodes.get(node);
    return redis?.status === 'ready' ? redis : undefined;
  }

  /** The connection to the master of a slot, whatever state it is in. @throws Error when none is known */
  clientOf(slot: number): Redis {
    const redis = this.nodes.get(this.ownerOf(slot) ?? '');
    if (redis === undefined) throw new Error('the Redis Cluster is not connected');
    return redis;
  }

  knows(node: NodeKey): boolean {
    return this.nodes.has(node);
  }

  /** A server said who serves a slot. */
  learn(slot: number, node: NodeKey): void {
    // A list of its own: the client shares one among the slots of a range.
    this.cluster.slots[slot] = [node];
    this.refresh();
  }

  /** Reads the slot table anew, soon. */
  refresh(): void {
    const nowMs = performance.now();
    if (nowMs - this.refreshedMs < REFRESH_INTERVAL_MS) return;
    this.refreshedMs = nowMs;
    this.cluster.refreshSlotsCache();
  }

  close(): void {
    this.cluster.disconnect();
  }

  private isWhole(): boolean {
    const owners = new Set(this.cluster.slots.map((nodes) => nodes[0]));
    return (
      this.cluster.status === 'ready' &&
      owners.size > 0 &&
      [...owners].every((node) => node !== undefined && this.readyConnection(node))
    );
  }

  // Replicas too: one of them may have to serve in the next moment.
  private add(redis: Redis): void {
    this.nodes.set(keyOf(redis), redis);
    // A server that is asked for a slot on its way to it must know the scripts: sending them takes a second question.
    loadScriptsOn(redis);
    if (redis.status === 'wait') redis.connect().catch(() => undefined);
  }
}

function keyOf({ options }: Redis): NodeKey {
  return `${options.host}:${options.port}`;
}
