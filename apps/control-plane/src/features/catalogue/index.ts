export { ApisModule } from './apis/apis.module.js';
export { ApisRepository } from './apis/apis.repository.js';
export { ApisResolver } from './apis/apis.resolver.js';
export { ApisService } from './apis/apis.service.js';
export { fromWireStyles, isDefaultStyles, toWireStyles } from './apis/header-styles.js';
export { KEPT_VERSIONS } from './apis/pools.repository.js';
export { PoolLiveResolver, PoolsResolver } from './apis/pools.resolver.js';
export { PoolsService } from './apis/pools.service.js';
export { upper } from './limits/stored-policy.js';
export { type Cohort, cohortSchema } from './tiers/cohort.rules.js';
export { FieldDifference } from './tiers/compare/compare.graphql.js';
export { CompareResolver } from './tiers/compare/compare.resolver.js';
export { compareFields } from './tiers/compare/compare.rules.js';
export { DefaultLimitsRepository } from './tiers/default-limits.repository.js';
export { DefaultLimitsResolver } from './tiers/default-limits.resolver.js';
export { DefaultLimitsService } from './tiers/default-limits.service.js';
export { isInCohort } from './tiers/holds.repository.js';
export {
  Charge,
  ConsistencyMode,
  EnforcementMode,
  OnMissing,
  QuotaPeriod,
  ThrottleMode,
  TokenRefill,
} from './tiers/limit-enums.graphql.js';
export { toPolicy } from './tiers/limit-input.rules.js';
export { type LimitRecord, policyOf, toLimitInput, toLimitRecord, withPolicy } from './tiers/limit-record.js';
export { Limit } from './tiers/limits.graphql.js';
export { LintSeverity } from './tiers/lint/lint.graphql.js';
export { LintResolver } from './tiers/lint/lint.resolver.js';
export { type PublishedTier, PublishedTiersRepository } from './tiers/published-tiers.repository.js';
export { TierLifecycleService } from './tiers/tier-lifecycle.service.js';
export { CohortInput } from './tiers/tier-mutations.graphql.js';
export { TierVersionLoader } from './tiers/tier-version.loader.js';
export { LimitsResolver, TierVersionsResolver } from './tiers/tier-versions.resolver.js';
export { Tier, TierVersion } from './tiers/tiers.graphql.js';
export { TiersModule } from './tiers/tiers.module.js';
export { type TierRow, TiersRepository, type TierVersionRow } from './tiers/tiers.repository.js';
export { TiersResolver } from './tiers/tiers.resolver.js';
export { TiersService } from './tiers/tiers.service.js';
export { toRule, toVersionRecord } from './tiers/version-record.js';
