export type { Algorithm, CompiledPolicy, Step } from './algorithms/algorithm.js';
export { algorithmOf } from './algorithms/index.js';
export {
  DecisionPlane,
  type DecisionPlaneEvent,
  type DecisionPlaneOptions,
} from './engine/decision-plane.js';
export { type CounterReading, peekCounters } from './engine/peek-counters.js';
export {
  type CompiledLimit,
  checkLimitPolicy,
  compileLimit,
  shareOf,
  type WirePolicy,
} from './policy/compile.js';
export {
  PolicyPublisher,
  type Publication,
  readNodeReports,
  serializeCatalogue,
} from './store/config-store.js';
export type {
  Check,
  CheckResult,
  DecisionStore,
  StoreReply,
  UnavailableReason,
} from './store/decision-store.js';
export { counterKey, dimensionValue } from './store/keys.js';
export { type ClockUs, MemoryStore } from './store/memory-store.js';
export { DEFAULT_DEADLINE_MS, RedisStore, type RedisStoreOptions } from './store/redis-store.js';
export { readUsageFrames } from './store/usage-stream.js';
