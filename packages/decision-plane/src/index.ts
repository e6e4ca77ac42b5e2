// What requests and answers are made of: whoever installs the package has no contracts to import them from.
export {
  type AmendAnswer,
  type CapacityReport,
  type LimitAnswer,
  type LimitPolicy,
  type LimitRequest,
  type PolicyResult,
  type Problem,
  type Reason,
  type ReceiptRequest,
  type RefundRequest,
  type ReportRequest,
  type ReserveRequest,
  type ResetRequest,
  type SettleRequest,
  type TenantLimits,
  TollgateError,
} from '@tollgate/contracts';
export type { Algorithm, CompiledPolicy, Kind, Step } from './algorithms/algorithm.js';
export { isTimeZone, type Period, periodAt, startOfHour } from './algorithms/calendar.js';
export { algorithmOf, kindOf } from './algorithms/index.js';
export { DecisionPlane } from './engine/decision-plane.js';
export type { DecisionPlaneEvent, DecisionPlaneOptions, OnStale } from './engine/decision-plane-options.js';
export { CALLERS_LIMIT } from './engine/override-limits.js';
export { type CounterReading, TenantView } from './engine/tenant-view.js';
export type { OverrideLimit, TogetherOptions, TogetherRequest } from './engine/together-request.js';
export {
  type CompiledLimit,
  checkLimitPolicy,
  compileLimit,
  type Standing,
  shareOf,
  type WirePolicy,
} from './policy/compile.js';
export { compilePool, type Pool } from './pools/pool.js';
export { EXCHANGE_INTERVAL_MS, PoolBook } from './pools/pool-book.js';
export { exchangePool, type PoolReading, readPool } from './scripts/pools.js';
export { PolicySigner } from './seal/policy-signer.js';
export { type PolicyKeys, PolicyVerifier } from './seal/policy-verifier.js';
export { isSealKey, newSigningKey, publicKeyOf } from './seal/seal-keys.js';
export { type ClockUs, eventLoop } from './store/clocks.js';
export { ClusterStore, type ClusterStoreOptions } from './store/cluster/cluster-store.js';
export { type CountersConnection, connectCounters, parseCountersUrl } from './store/counters.js';
export type {
  Amended,
  Amendment,
  Check,
  CheckResult,
  Decided,
  DecisionStore,
  StoreReply,
  StoreRequest,
  UnavailableReason,
} from './store/decision-store.js';
export { counterKey, dimensionValue, ownTag } from './store/keys.js';
export { MemoryStore } from './store/memory/memory-store.js';
export { listenToNodes, readNodeReports, takeLeftNodes } from './store/node-reports.js';
export type { NodeStream, StreamEntry } from './store/node-streams.js';
export { JOURNAL_STREAM, readUsageFrames, USAGE_STREAM } from './store/node-streams.js';
export {
  type FoundRecord,
  type HeadReading,
  PolicyPublisher,
  PolicySweeper,
  type Publication,
  serializeCatalogue,
  type TenantChange,
} from './store/policy-store.js';
export { type QuotaCheckpoint, QuotaStore } from './store/quota-store.js';
export { DEFAULT_DEADLINE_MS, RedisStore, type RedisStoreOptions } from './store/redis/redis-store.js';
export { readServerInfo } from './store/redis/server-checks.js';
