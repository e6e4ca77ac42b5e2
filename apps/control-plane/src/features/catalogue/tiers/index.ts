export { type Cohort, cohortSchema } from './cohort.rules.js';
export { FieldDifference } from './compare/compare.graphql.js';
export { CompareResolver } from './compare/compare.resolver.js';
export { compareFields } from './compare/compare.rules.js';
export { DefaultLimitsRepository } from './default-limits.repository.js';
export { DefaultLimitsResolver } from './default-limits.resolver.js';
export { DefaultLimitsService } from './default-limits.service.js';
export { isInCohort } from './holds.repository.js';
export {
  Charge,
  ConsistencyMode,
  EnforcementMode,
  OnMissing,
  QuotaPeriod,
  ThrottleMode,
  TokenRefill,
} from './limit-enums.graphql.js';
export { toPolicy } from './limit-input.rules.js';
export { type LimitRecord, policyOf, toLimitInput, toLimitRecord, withPolicy } from './limit-record.js';
export { Limit } from './limits.graphql.js';
export { LintSeverity } from './lint/lint.graphql.js';
export { LintResolver } from './lint/lint.resolver.js';
export { type PublishedTier, PublishedTiersRepository } from './published-tiers.repository.js';
export { TierLifecycleService } from './tier-lifecycle.service.js';
export { CohortInput } from './tier-mutations.graphql.js';
export { TierVersionLoader } from './tier-version.loader.js';
export { LimitsResolver, TierVersionsResolver } from './tier-versions.resolver.js';
export { Tier, TierVersion } from './tiers.graphql.js';
export { TiersModule } from './tiers.module.js';
export { type TierRow, TiersRepository, type TierVersionRow } from './tiers.repository.js';
export { TiersResolver } from './tiers.resolver.js';
export { TiersService } from './tiers.service.js';
export { toRule, toVersionRecord } from './version-record.js';
