export { coversOperation, fromWireStyles, isDefaultStyles, toWireStyles } from './apis/api.rules.js';
export {
  ApisRepository,
  KEPT_VERSIONS,
  poolColumns,
  poolFacts,
  toPoolRecord,
} from './apis/apis.repository.js';
export { ApisService } from './apis/apis.service.js';
export { PoolsService } from './apis/pools.service.js';
export { CatalogueModule } from './catalogue.module.js';
export { DefaultLimitsService } from './limits/default-limits.js';
export { DefaultLimitsRepository } from './limits/default-limits.repository.js';
export { toLimitInput } from './limits/limit.inputs.js';
export { type LimitRecord, toLimitRecord, withPolicy } from './limits/limit-record.js';
export { Limit, QuotaPeriod, upper } from './limits/limits.graphql.js';
export { LintSeverity } from './lint/lint.rules.js';
export { countMissingFrames } from './tiers/publication-guards.repository.js';
export {
  isInCohort,
  type PublishedTier,
  PublishedTiersRepository,
  toVersionRecord,
  toWireCarryOver,
} from './tiers/published-tiers.repository.js';
export { compareFields, FieldDifference } from './tiers/tier-comparison.js';
export {
  cohortSchema,
  type GuardTermsInput,
  optionalGuard,
  type StoredCohort,
  Tier,
  TierVersion,
} from './tiers/tiers.graphql.js';
export { type TierRow, TiersRepository, type TierVersionRow } from './tiers/tiers.repository.js';
export { TierVersionLoader } from './tiers/tiers.resolver.js';
export { TiersService } from './tiers/tiers.service.js';
