// Limits compiled to integers, the models that decide them, and the names of their counters. Needs no Redis.
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
export { maskedBytes, type Network, networkHex, networkText, parseNetwork } from './rules/addresses.js';
export {
  type Carry,
  type CompiledLimit,
  compileLimit,
  inShadow,
  isNewerId,
  POLICY_IDS,
  rebased,
  shareOf,
  toWire,
  ttlPeriodExponent,
  type WirePenalty,
  type WirePolicy,
  withoutExtra,
  withoutPenalty,
} from './rules/compile.js';
export {
  addressOf,
  counterKey,
  dimensionValue,
  fingerprintOf,
  globalTag,
  hashText,
  holderOf,
  isField,
  keyStart,
  keyStem,
  MISSING_VALUE,
  overflowKey,
  ownTag,
  packedStem,
  penaltyKey,
  receiptKey,
  subjectStart,
  subjectStem,
  tenantOfKey,
  tenantTag,
} from './rules/keys.js';
