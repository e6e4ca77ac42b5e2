import { Module } from '@nestjs/common';
import { OverridesModule } from '../overrides/overrides.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { BulkActionsRepository } from './bulk-actions.repository.js';
import { BulkActionsResolver } from './bulk-actions.resolver.js';
import { BulkActionsService } from './bulk-actions.service.js';
import { BulkStarters } from './bulk-starters.js';
import { BulkSteps } from './bulk-steps.js';
import { BulkTargets } from './bulk-targets.js';
import { BulkTrial } from './bulk-trial.js';
import { ForgetBulkActionsJob } from './forget-bulk-actions.job.js';
import { RunBulkActionsJob } from './run-bulk-actions.job.js';

const PROVIDERS = [BulkActionsRepository, BulkSteps, BulkTargets, BulkTrial];

/** What a bulk action does to a tenant. */
@Module({ imports: [TenantsModule, OverridesModule], providers: PROVIDERS, exports: PROVIDERS })
export class BulkStepsModule {}

/** Bulk actions for the GraphQL door. */
@Module({ imports: [BulkStepsModule], providers: [BulkActionsService, BulkActionsResolver] })
export class BulkActionsModule {}

/** What carries bulk actions out. */
@Module({
  imports: [BulkStepsModule],
  providers: [BulkStarters, RunBulkActionsJob, ForgetBulkActionsJob],
})
export class BulkActionsWorkerModule {}
