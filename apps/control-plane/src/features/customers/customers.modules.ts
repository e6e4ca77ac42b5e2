import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { ForgetBulkActionsJob, RunBulkActionsJob } from './bulk/bulk-actions.job.js';
import { BulkActionsRepository } from './bulk/bulk-actions.repository.js';
import { BulkActionsResolver } from './bulk/bulk-actions.resolver.js';
import { BulkActionsService } from './bulk/bulk-actions.service.js';
import { BulkSteps } from './bulk/bulk-steps.js';
import { AdjustmentService } from './entitlements/adjustment.service.js';
import { EntitlementCommands, EntitlementGrantsService } from './entitlements/entitlement-grants.service.js';
import { AdjustmentsRepository, EntitlementsRepository } from './entitlements/entitlements.repository.js';
import { EntitlementsResolver } from './entitlements/entitlements.resolver.js';
import { AdjustmentsPlanner, EntitlementsService } from './entitlements/entitlements.service.js';
import { LimitSteps } from './entitlements/limit-steps.service.js';
import { TopUpsService } from './entitlements/top-ups.service.js';
import { OverrideCommands } from './overrides/override.commands.js';
import { OverrideLintResolver, OverrideLintService } from './overrides/override-lint.js';
import { OverridesRepository } from './overrides/overrides.repository.js';
import { OverridesResolver } from './overrides/overrides.resolver.js';
import { EndedOverridesJob, OverridesService } from './overrides/overrides.service.js';
import { QuotaRequestsRepository } from './quota-requests/quota-requests.repository.js';
import { QuotaRequestsResolver } from './quota-requests/quota-requests.resolver.js';
import { QuotaRequestGranter, QuotaRequestsService } from './quota-requests/quota-requests.service.js';
import { FollowTiersJob, RolloutsResolver, RolloutsService } from './rollouts/rollouts.js';
import { RolloutsRepository } from './rollouts/rollouts.repository.js';
import { SubjectLimitsResolver, SubjectLimitsService } from './subject-rules/subject-limits.js';
import { SubjectRuleCommands } from './subject-rules/subject-rule.commands.js';
import { SubjectRulesRepository } from './subject-rules/subject-rules.repository.js';
import { SubjectRulesResolver } from './subject-rules/subject-rules.resolver.js';
import { SubjectRulesService } from './subject-rules/subject-rules.service.js';
import { EffectiveLimitsService } from './tenants/effective-limits.service.js';
import { SoldVersions } from './tenants/sold-versions.js';
import { SubscriptionsRepository } from './tenants/subscriptions.repository.js';
import { TenantCommands } from './tenants/tenant.commands.js';
import { TenantChanges } from './tenants/tenant-changes.js';
import { TenantViews } from './tenants/tenant-record.repository.js';
import { TenantsRepository } from './tenants/tenants.repository.js';
import { TenantsResolver } from './tenants/tenants.resolver.js';
import { ArchiveGuards, TenantsService } from './tenants/tenants.service.js';

const PROVIDERS = [
  TenantsRepository,
  ArchiveGuards,
  SoldVersions,
  TenantChanges,
  SubscriptionsRepository,
  TenantsService,
  TenantCommands,
  TenantViews,
  EffectiveLimitsService,
  TenantsResolver,
  AdjustmentsRepository,
  AdjustmentsPlanner,
  AdjustmentService,
  EntitlementsRepository,
  EntitlementsService,
  EntitlementGrantsService,
  EntitlementCommands,
  EntitlementsResolver,
  LimitSteps,
  TopUpsService,
  OverridesRepository,
  OverridesService,
  OverrideCommands,
  OverridesResolver,
  OverrideLintService,
  OverrideLintResolver,
  SubjectRulesRepository,
  SubjectRulesService,
  SubjectRuleCommands,
  SubjectLimitsService,
  SubjectLimitsResolver,
  SubjectRulesResolver,
  QuotaRequestsRepository,
  QuotaRequestGranter,
  QuotaRequestsService,
  QuotaRequestsResolver,
  RolloutsRepository,
  RolloutsService,
  RolloutsResolver,
  BulkActionsRepository,
  BulkSteps,
  BulkActionsService,
  BulkActionsResolver,
];

/** Tenants and their limits, without jobs. */
@Module({ imports: [CatalogueModule], providers: PROVIDERS, exports: PROVIDERS })
export class CustomersModule {}

@Module({
  imports: [CustomersModule],
  providers: [EndedOverridesJob, FollowTiersJob, RunBulkActionsJob, ForgetBulkActionsJob],
})
export class CustomersWorkerModule {}
