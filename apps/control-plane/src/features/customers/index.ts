export { RunBulkActionsJob } from './bulk/bulk-actions.job.js';
export { BulkActionsModule, BulkActionsWorkerModule } from './bulk/bulk-actions.module.js';
export { BulkActionsRepository } from './bulk/bulk-actions.repository.js';
export { showEffect } from './entitlements/adjustment-inputs.js';
export { EntitlementGrantsService } from './entitlements/entitlement-grants.service.js';
export { EntitlementsModule } from './entitlements/entitlements.module.js';
export { EntitlementsRepository } from './entitlements/entitlements.repository.js';
export { EntitlementsService, TooManyAdjustments } from './entitlements/entitlements.service.js';
export { LimitSteps } from './entitlements/limit-steps.service.js';
export { findPurchaseEffects, type PurchaseEffects } from './entitlements/purchase-effects.rules.js';
export { OverrideJobsModule, OverridesModule } from './overrides/overrides.module.js';
export { OverridesRepository } from './overrides/overrides.repository.js';
export { EndedOverridesJob, OverridesService } from './overrides/overrides.service.js';
export { QuotaRequestsModule } from './quota-requests/quota-requests.module.js';
export { QuotaRequestsRepository } from './quota-requests/quota-requests.repository.js';
export { QuotaRequestsService } from './quota-requests/quota-requests.service.js';
export { RolloutsModule, RolloutsWorkerModule } from './rollouts/rollouts.module.js';
export { RolloutsService } from './rollouts/rollouts.service.js';
export { readAdjustments, type StoredAdjustment } from './tenants/adjustment-schedule.js';
export {
  type EffectiveLimitRow,
  EffectiveLimitsService,
  toEffectiveLimit,
} from './tenants/effective-limits.service.js';
export { TENANT_FIELDS, TenantViews, toTenantRecord } from './tenants/tenant-record.repository.js';
export { EffectiveLimit, Member, Tenant } from './tenants/tenants.graphql.js';
export { TenantsModule } from './tenants/tenants.module.js';
export { type TenantRow, TenantsRepository } from './tenants/tenants.repository.js';
export { ArchiveGuards, TenantsService } from './tenants/tenants.service.js';
