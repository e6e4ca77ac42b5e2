import { ClusterStore, type ClusterStoreOptions } from './cluster/cluster-store.js';
import { RedisStore } from './redis/redis-store.js';
import type { CounterStore } from './stores/decision-store.js';
import { parseRedisUrl } from './stores/redis-address.js';

/** @throws Error if the address is invalid or a TLS file cannot be read */
export function connectCounters(options: ClusterStoreOptions): CounterStore {
  const isCluster = parseRedisUrl(options.url).kind === 'cluster';
  return isCluster ? new ClusterStore(options) : new RedisStore(options);
}
