export {
  CompiledCatalogue,
  EffectiveLimit,
  type Labels,
  type OperationPolicy,
  type SourcedLimit,
  TierPolicy,
  withLimits,
} from './catalogue.js';
export { checkLimitPolicy } from './check-limit.js';
export { type LimitMode, modeOf } from './limit-mode.js';
export { LIVE } from './limit-parts.js';
export { type ByPriority, compilePool, type Pool, RANK, SlidingSecond, Spread, sumOf } from './pool.js';
export {
  isSealKey,
  newSigningKey,
  type PolicyKeys,
  PolicySigner,
  PolicyVerifier,
  publicKeyOf,
  SealError,
  type SealKind,
} from './seal/policy-seal.js';
export { parseSubjectPattern, type SubjectPattern } from './subject-patterns.js';
export {
  checkSubjectRules,
  limitChangeOf,
  type MayMatch,
  RuleBook,
  SubjectRules,
  type SubjectTreatment,
} from './subject-rules.js';
