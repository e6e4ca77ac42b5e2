import { ApisResolver } from './apis/index.js';
import { AuditResolver } from './audit/index.js';
import { DistributionResolver } from './distribution/index.js';
import { ServiceTokensResolver } from './service-tokens/index.js';
import { TenantsResolver } from './tenants/index.js';
import { LimitsResolver, TiersResolver, TierVersionsResolver } from './tiers/index.js';
import { NodeResolver, ViewerResolver } from './viewer/index.js';

/** Every resolver, for printing the schema without starting anything. */
export const RESOLVERS = [
  ViewerResolver,
  NodeResolver,
  ApisResolver,
  TiersResolver,
  TierVersionsResolver,
  LimitsResolver,
  TenantsResolver,
  DistributionResolver,
  AuditResolver,
  ServiceTokensResolver,
];
