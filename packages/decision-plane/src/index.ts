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
export { exchangePool } from './scripts/pool-exchange.js';
export { type PoolReading, readPool } from './scripts/pool-reading.js';
export { PolicySigner } from './seal/policy-signer.js';
export { type PolicyKeys, PolicyVerifier } from './seal/policy-verifier.js';
export { isSealKey, newSigningKey, publicKeyOf } from './seal/seal-keys.js';
export { ClusterStore, type ClusterStoreOptions } from './store/cluster-store.js';
export { type CountersConnection, connectCounters } from './store/counters-connection.js';
export { parseCountersUrl } from './store/counters-url.js';
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
export { eventLoop } from './store/event-loop.js';
export { counterKey, dimensionValue, ownTag } from './store/keys.js';
export { type ClockUs, MemoryStore } from './store/memory-store.js';
export { listenToNodes, readNodeReports, takeLeftNodes } from './store/node-reports.js';
export type { NodeStream, StreamEntry } from './store/node-stream.js';
export {
  type HeadReading,
  PolicyPublisher,
  type Publication,
  serializeCatalogue,
  type TenantChange,
} from './store/policy-publisher.js';
export { type FoundRecord, PolicySweeper } from './store/policy-sweeper.js';
export { type QuotaCheckpoint, QuotaStore } from './store/quota-store.js';
export { DEFAULT_DEADLINE_MS, RedisStore, type RedisStoreOptions } from './store/redis-store.js';
export { readServerInfo } from './store/server-info.js';
export { JOURNAL_STREAM, readUsageFrames, USAGE_STREAM } from './store/usage-stream.js';
