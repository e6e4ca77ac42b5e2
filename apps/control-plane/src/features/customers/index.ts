export { RunBulkActionsJob } from './bulk/bulk-actions.job.js';
export { BulkActionsRepository } from './bulk/bulk-actions.repository.js';
export { CustomersModule, CustomersWorkerModule } from './customers.modules.js';
export { EntitlementGrantsService } from './entitlements/entitlement-grants.service.js';
export { showEffect } from './entitlements/entitlements.graphql.js';
export { AdjustmentsRepository, EntitlementsRepository } from './entitlements/entitlements.repository.js';
export { EntitlementsService, TooManyAdjustments } from './entitlements/entitlements.service.js';
export { type LimitStep, LimitSteps } from './entitlements/limit-steps.service.js';
export {
  findPurchaseEffects,
  type PurchasedLimit,
  type PurchaseEffects,
} from './entitlements/purchase-effects.rules.js';
export { burnDown, unitsOf } from './entitlements/top-ups.rules.js';
export { type EndedTopUp, TopUpsService } from './entitlements/top-ups.service.js';
export { OverridesRepository } from './overrides/overrides.repository.js';
export { EndedOverridesJob, OverridesService } from './overrides/overrides.service.js';
export { QuotaRequestsRepository } from './quota-requests/quota-requests.repository.js';
export { QuotaRequestsService } from './quota-requests/quota-requests.service.js';
export { RolloutsService } from './rollouts/rollouts.js';
export {
  isLiveRule,
  toPlatformRule,
  toSubjectRule,
} from './subject-rules/subject-rule.rules.js';
export {
  DecisionSubjectInput,
  SubjectEffectKind,
  showSubjectEffect,
  subjectSchema,
} from './subject-rules/subject-rules.graphql.js';
export { type SubjectRuleRow, SubjectRulesRepository } from './subject-rules/subject-rules.repository.js';
export { SubjectRulesService } from './subject-rules/subject-rules.service.js';
export { readAdjustments, type StoredAdjustment, toAdjustment } from './tenants/adjustment-schedule.js';
export {
  type EffectiveLimitRow,
  EffectiveLimitsService,
  toEffectiveLimit,
  withSubjectRule,
} from './tenants/effective-limits.service.js';
export {
  readFloors,
  TENANT_FIELDS,
  TenantViews,
  toTenantRecord,
} from './tenants/tenant-record.repository.js';
export { EffectiveLimit, Member, Tenant } from './tenants/tenants.graphql.js';
export {
  BOARD_ROWS,
  BOARD_TABLES,
  type BoardFilter,
  boardConditions,
  boardCountConditions,
  findBySearch,
  type TenantRow,
  TenantsRepository,
} from './tenants/tenants.repository.js';
export { ArchiveGuards, TenantsService } from './tenants/tenants.service.js';
