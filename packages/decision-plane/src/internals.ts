// Models, stores and records for Tollgate's own programs: the control plane, the decision API, the CLI, benchmarks and
// tests. Not part of the public interface; may change in any release.
export { knownTimeZone, type Period, periodAt, startOfHour } from './algorithms/calendar.js';
export { algorithmOf } from './algorithms/index.js';
export { UnsuitableRedis } from './api/decision-node.js';
export { ReplayNode, type ReplayPolicy } from './api/replay-node.js';
export { type CounterReading, TenantView } from './api/tenant-view.js';
export { type CompiledLimit, type CompileOptions, checkLimitPolicy, compileLimit } from './policy/compile.js';
export { parseSubjectPattern } from './policy/subject-patterns.js';
export { limitChangeOf } from './policy/subject-rules.js';
export { compilePool, type Pool } from './pools/pool.js';
export { PoolBook } from './pools/pool-book.js';
export { CounterReplay, type CounterSteps } from './replay/counter-replay.js';
export { denialBounds, quotaBounds, type UsageBucket } from './replay/denial-bounds.js';
export { type NamedHash, NamedValues } from './replay/recorded-values.js';
export { type ReplayOptions, replayTraffic } from './replay/replay.js';
export { replayOnThread } from './replay/replay-thread.js';
export { MAX_MISMATCH, type ReplayResult } from './replay/result.js';
export type { StartUsage } from './replay/side.js';
export { type WarmUp, warmUpOf } from './replay/warm-up.js';
export { exchangePool, type PoolReading, readPool } from './scripts/pools.js';
export { isSealKey, newSigningKey, PolicySigner, PolicyVerifier, publicKeyOf } from './seal/policy-seal.js';
export { eventLoop } from './store/clocks.js';
export { type ClusterCounts, SLOT_MODES, type SlotMode } from './store/cluster/cluster-counts.js';
export { COUNTER_REQUIREMENTS, connectCounters } from './store/counters.js';
export type {
  Check,
  CounterStore,
  Decided,
  DecisionStore,
  StoreReply,
  StoreRequest,
} from './store/decision-store.js';
export { CounterInspector, type CounterQuery, type InspectedKey } from './store/inspect/counter-inspector.js';
export type { Decoded, DecodedValue } from './store/inspect/stored-values.js';
export { counterKey, dimensionValue, ownTag } from './store/keys.js';
export { MemoryStore } from './store/memory/memory-store.js';
export {
  isStale,
  listenToNodes,
  readNodeReports,
  STALE_AFTER_MS,
  takeLeftNodes,
} from './store/node-reports.js';
export type { NodeStream, StreamEntry } from './store/node-streams.js';
export { JOURNAL_STREAM, readUsageFrames, TRAFFIC_STREAM, USAGE_STREAM } from './store/node-streams.js';
export {
  type HeadReading,
  PolicyPublisher,
  PolicySweeper,
  serializeCatalogue,
  type TenantChange,
} from './store/policy-store.js';
export { type QuotaCheckpoint, QuotaStore } from './store/quota-store.js';
export {
  checkConfigRedisUrl,
  checkRedisUrl,
  connectionOptions,
  connectRedis,
} from './store/redis/connection.js';
export { parseRedisUrl } from './store/redis/redis-address.js';
export { RedisStore } from './store/redis/redis-store.js';
export {
  checkServer,
  type RedisRequirements,
  type ServerFinding,
  type ServerInfo,
} from './store/redis/server-checks.js';
export { DurationCounts } from './store/redis-calls.js';
export {
  BlockBuilder,
  BlockCopier,
  type BlockHeader,
  MAX_BLOCK_ROWS,
  TRAFFIC_FLAGS,
  type TrafficBlock,
  type TrafficSubject,
} from './traffic/block.js';
export { decodeBlock, encodeBlock, packBlock, unpackBlock } from './traffic/block-codec.js';
export { InvalidTraffic } from './traffic/bytes.js';
export { TrafficRecorder } from './traffic/recorder.js';
export { readRecording, writeRecording } from './traffic/recording-file.js';
