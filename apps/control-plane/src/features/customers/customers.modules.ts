import { Injectable, Module } from '@nestjs/common';
import { jobActor } from '../../platform/access/actor.js';
import { newId } from '../../platform/ids.js';
import { type Job, ScheduledJob } from '../../platform/jobs/jobs-runner.js';
import { TiersModule } from '../catalogue/index.js';
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
import { OverrideCommands } from './overrides/override.commands.js';
import { OverrideLintResolver, OverrideLintService } from './overrides/override-lint.js';
import { OverridesRepository } from './overrides/overrides.repository.js';
import { OverridesResolver } from './overrides/overrides.resolver.js';
import { EndedOverridesJob, OverridesService } from './overrides/overrides.service.js';
import { QuotaRequestsRepository } from './quota-requests/quota-requests.repository.js';
import { QuotaRequestsResolver } from './quota-requests/quota-requests.resolver.js';
import { QuotaRequestGranter, QuotaRequestsService } from './quota-requests/quota-requests.service.js';
import { RolloutsResolver, RolloutsService } from './rollouts/rollouts.js';
import { RolloutsRepository } from './rollouts/rollouts.repository.js';
import { EffectiveLimitsService } from './tenants/effective-limits.service.js';
import { SubscriptionsRepository } from './tenants/subscriptions.repository.js';
import { TenantCommands } from './tenants/tenant.commands.js';
import { TenantViews } from './tenants/tenant-record.repository.js';
import { TenantsRepository } from './tenants/tenants.repository.js';
import { TenantsResolver } from './tenants/tenants.resolver.js';
import { ArchiveGuards, TenantChanges, TenantsService } from './tenants/tenants.service.js';

@Module({
  imports: [TiersModule],
  providers: [
    TenantsRepository,
    ArchiveGuards,
    TenantChanges,
    SubscriptionsRepository,
    TenantsService,
    TenantCommands,
    TenantViews,
    EffectiveLimitsService,
    TenantsResolver,
  ],
  exports: [
    ArchiveGuards,
    TenantsService,
    TenantsRepository,
    SubscriptionsRepository,
    EffectiveLimitsService,
    TenantViews,
  ],
})
export class TenantsModule {}

@Module({
  imports: [TenantsModule, TiersModule],
  providers: [
    AdjustmentsRepository,
    AdjustmentsPlanner,
    AdjustmentService,
    EntitlementsRepository,
    EntitlementsService,
    EntitlementGrantsService,
    EntitlementCommands,
    EntitlementsResolver,
    LimitSteps,
  ],
  exports: [
    AdjustmentsPlanner,
    AdjustmentService,
    EntitlementsRepository,
    EntitlementsService,
    EntitlementGrantsService,
    LimitSteps,
  ],
})
export class EntitlementsModule {}

@Module({
  imports: [EntitlementsModule, TenantsModule],
  providers: [
    OverridesRepository,
    OverridesService,
    OverrideCommands,
    OverridesResolver,
    OverrideLintService,
    OverrideLintResolver,
  ],
  exports: [OverridesRepository, OverridesService],
})
export class OverridesModule {}

@Module({ imports: [OverridesModule], providers: [EndedOverridesJob] })
export class OverrideJobsModule {}

@Module({
  imports: [TenantsModule, EntitlementsModule, OverridesModule],
  providers: [QuotaRequestsRepository, QuotaRequestGranter, QuotaRequestsService, QuotaRequestsResolver],
  exports: [QuotaRequestsRepository, QuotaRequestsService],
})
export class QuotaRequestsModule {}

/** Tenants per change, few enough to hold their locks only briefly. */
const TENANTS_PER_CHANGE = 100;

/** Moves tenants pinned by a rollout to the published version when they are due. */
@Injectable()
@ScheduledJob({ name: 'follow-tiers', everyMs: 1000 })
export class FollowTiersJob implements Job {
  constructor(private readonly rollouts: RolloutsService) {}

  async run(): Promise<void> {
    const actor = jobActor('follow-tiers');
    for (;;) {
      const moved = await this.rollouts.moveDue({ actor, requestId: newId('request') }, TENANTS_PER_CHANGE);
      if (moved < TENANTS_PER_CHANGE) return;
    }
  }
}

@Module({
  imports: [TiersModule, TenantsModule],
  providers: [RolloutsRepository, RolloutsService, RolloutsResolver],
  exports: [RolloutsService],
})
export class RolloutsModule {}

@Module({ imports: [RolloutsModule], providers: [FollowTiersJob] })
export class RolloutsWorkerModule {}

const PROVIDERS = [BulkActionsRepository, BulkSteps];

/** The steps of bulk actions, for the GraphQL API and the worker. */
@Module({ imports: [TenantsModule, OverridesModule], providers: PROVIDERS, exports: PROVIDERS })
export class BulkStepsModule {}

@Module({ imports: [TenantsModule, BulkStepsModule], providers: [BulkActionsService, BulkActionsResolver] })
export class BulkActionsModule {}

@Module({
  imports: [BulkStepsModule],
  providers: [RunBulkActionsJob, ForgetBulkActionsJob],
})
export class BulkActionsWorkerModule {}
