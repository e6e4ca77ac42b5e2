// For Tollgate's own programs: what nodes and the control plane exchange through the policy Redis, and views of counters.
export { UnsuitableRedis } from './api/decision-node.js';
export { ReplayNode } from './api/replay-node.js';
export { type CounterReading, TenantView } from './api/tenant-view.js';
export { CounterInspector, type CounterQuery, type InspectedKey } from './inspect/counter-inspector.js';
export type { Decoded, DecodedValue } from './inspect/stored-values.js';
export {
  isStale,
  listenToNodes,
  readNodeReports,
  STALE_AFTER_MS,
  takeLeftNodes,
} from './policy-redis/node-reports.js';
export {
  JOURNAL_STREAM,
  NodeStream,
  readUsageFrames,
  type StreamEntry,
  TRAFFIC_STREAM,
  USAGE_STREAM,
} from './policy-redis/node-streams.js';
export {
  type HeadReading,
  PolicyPublisher,
  PolicySweeper,
  serializeCatalogue,
  type TenantChange,
} from './policy-redis/policy-store.js';
export { type QuotaCheckpoint, QuotaStore } from './policy-redis/quota-store.js';
export { exchangePool, type PoolReading, readPool } from './scripts/pools.js';
