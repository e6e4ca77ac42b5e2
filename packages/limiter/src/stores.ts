// Where counters are kept: the port, its implementations, and the connections to Redis.
export { ClusterCounts, SLOT_MODES, type SlotMode } from './cluster/cluster-counts.js';
export { ClusterStore } from './cluster/cluster-store.js';
export { slotOf } from './cluster/slots.js';
export { connectCounters } from './connect-counters.js';
export { ENDLESS } from './memory/memory-counters.js';
export { MemoryStore } from './memory/memory-store.js';
export {
  accessOptions,
  checkConfigRedisUrl,
  checkRedisUrl,
  connectionOptions,
  connectRedis,
} from './redis/connection.js';
export {
  type CounterHandlers,
  type Exhaustion,
  listenToCounters,
  publishExhaustions,
} from './redis/counter-channel.js';
export { CounterMemory, type CounterMemoryCounts } from './redis/counter-memory.js';
export { COUNTER_REQUIREMENTS } from './redis/counter-requirements.js';
export { DEFAULT_DEADLINE_MS, RedisStore } from './redis/redis-store.js';
export {
  checkServer,
  type RedisRequirements,
  type ServerFinding,
  type ServerInfo,
} from './redis/server-checks.js';
export { IntegerArrayReader, packIntegers, runScript, scriptOf } from './scripts/script.js';
export { type ClockUs, eventLoop, ServerClock, StoreTime, within } from './stores/clocks.js';
export type {
  Amended,
  Amendment,
  Check,
  CheckResult,
  CounterStore,
  Decided,
  DecisionStore,
  OwedCheck,
  ReceiptOrder,
  RefundReason,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from './stores/decision-store.js';
export { parseRedisUrl } from './stores/redis-address.js';
export { DurationCounts, measureCommands, RedisCalls } from './stores/redis-calls.js';
