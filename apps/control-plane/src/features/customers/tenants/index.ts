export { ruleOfEnd, type TimedAdjustment } from './adjustment-timeline.js';
export { EffectiveLimitsService } from './effective-limits.service.js';

export { SubscriptionsRepository } from './subscriptions.repository.js';
export { TenantHolds } from './tenant-holds.js';
export { TENANT_FIELDS, toTenantRecord } from './tenant-record.repository.js';
export { type TenantSituation, TenantViews } from './tenant-views.js';
export { Member, Tenant, type TenantTierChangeInput } from './tenants.graphql.js';
export { TenantsModule } from './tenants.module.js';
export { type TenantRow, TenantsRepository } from './tenants.repository.js';
export { TenantsResolver } from './tenants.resolver.js';
export { TenantsService } from './tenants.service.js';
