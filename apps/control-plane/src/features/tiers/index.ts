export { type LimitRecord, policyOf, toLimitRecord } from './limit-record.js';
export { TierVersionLoader } from './tier-version.loader.js';
export { LimitsResolver, TierVersionsResolver } from './tier-versions.resolver.js';
export { Limit, Tier, TierVersion } from './tiers.graphql.js';
export { TiersModule } from './tiers.module.js';
export { type TierRow, TiersRepository, type TierVersionRow } from './tiers.repository.js';
export { TiersResolver } from './tiers.resolver.js';
export { TiersService } from './tiers.service.js';
