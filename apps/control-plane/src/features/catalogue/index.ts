export { coversOperation, fromWireStyles, isDefaultStyles, toWireStyles } from './apis/api.rules.js';
export { ApisRepository } from './apis/apis.repository.js';
export { ApisService } from './apis/apis.service.js';
export { KEPT_VERSIONS } from './apis/pools.repository.js';
export { PoolsService } from './apis/pools.service.js';
export { ApisModule, TiersModule } from './catalogue.module.js';
export { DefaultLimitsRepository } from './limits/default-limits.repository.js';
export { DefaultLimitsService } from './limits/default-limits.service.js';
export { toLimitInput } from './limits/limit.inputs.js';
export { type LimitRecord, toLimitRecord, withPolicy } from './limits/limit-record.js';
export { Limit, QuotaPeriod, upper } from './limits/limits.graphql.js';
export { LintSeverity } from './lint/lint.graphql.js';
export {
  type PublishedTier,
  PublishedTiersRepository,
  toVersionRecord,
  toWireCarryOver,
} from './tiers/published-tiers.repository.js';
export { isInCohort } from './tiers/rollout.repository.js';
export { type Cohort, cohortSchema } from './tiers/tier.inputs.js';
export { compareFields, FieldDifference } from './tiers/tier-comparison.js';
export { Tier, TierVersion } from './tiers/tiers.graphql.js';
export { type TierRow, TiersRepository, type TierVersionRow } from './tiers/tiers.repository.js';
export { TierVersionLoader } from './tiers/tiers.resolver.js';
export { TiersService } from './tiers/tiers.service.js';
