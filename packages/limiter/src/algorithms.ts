// The pure models of the algorithms. They run in a browser, too.
export type { CompileContext, CompiledPolicy, Kind, RuleKind, Step } from './algorithms/algorithm.js';
export type { AttemptsState } from './algorithms/attempts.js';
export { knownTimeZone, type Period, periodAt, startOfHour } from './algorithms/calendar.js';
export type { Permit } from './algorithms/concurrency.js';
export type { WindowState } from './algorithms/fixed-window.js';
export { type AnyAlgorithm, algorithmOf, algorithms, kindOf } from './algorithms/index.js';
export { type PenaltyState, penalize } from './algorithms/penalty.js';
export type { CompiledQuota } from './algorithms/quota.js';
export type { CounterState } from './algorithms/sliding-window-counter.js';
export type { EstimateState } from './algorithms/sliding-window-estimate.js';
export type { CompiledSlidingWindowLog, LogState } from './algorithms/sliding-window-log.js';
export type { CompiledTokenBucketInterval } from './algorithms/token-bucket-interval.js';
export type { CompiledVirtualTime } from './algorithms/virtual-time.js';
