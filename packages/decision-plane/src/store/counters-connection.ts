import type { Redis } from 'ioredis';
import { ClusterStore } from './cluster-store.js';
import { nodeUrlOf, parseCountersUrl } from './counters-url.js';
import type { DecisionStore } from './decision-store.js';
import { RedisStore, type RedisStoreOptions } from './redis-store.js';

/** The counters' Redis, one server or a cluster. */
export interface CountersConnection {
  readonly store: DecisionStore;
  /** For what is neither a decision nor a change of counters: where `key` lives. @throws Error when no server is known */
  clientFor(key: string): Redis;
  /** The servers that take writes, as far as they are known. */
  servers(): readonly Redis[];
  /** A server's time now or a little before, microseconds since the Unix epoch; undefined before the first reply. */
  nowUs(): number | undefined;
  /** A server that hears every message. */
  readonly anyNodeUrl: string;
  /** Resolves once it can be asked; rejects after `timeoutMs`. */
  connected(timeoutMs: number): Promise<void>;
}

/** @throws Error that says what is wrong with the address */
export function connectCounters(options: RedisStoreOptions): CountersConnection {
  const address = parseCountersUrl(options.url);
  if (address.kind === 'cluster') {
    const { url: _, ...others } = options;
    const store = new ClusterStore({ address, ...others });
    return {
      store,
      clientFor: (key) => store.clientFor(key),
      servers: () => store.masters(),
      nowUs: () => store.nowUs(),
      anyNodeUrl: nodeUrlOf(address),
      connected: (timeoutMs) => store.connected(timeoutMs),
    };
  }
  const store = new RedisStore({ ...options, url: address.url });
  return {
    store,
    clientFor: () => store.redis,
    servers: () => [store.redis],
    nowUs: () => store.nowUs(),
    anyNodeUrl: address.url,
    connected: (timeoutMs) => store.connected(timeoutMs),
  };
}
