import { Module } from '@nestjs/common';
import { OverridesModule } from '../overrides/overrides.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { ForgetBulkActionsJob, RunBulkActionsJob } from './bulk-actions.job.js';
import { BulkActionsRepository } from './bulk-actions.repository.js';
import { BulkActionsResolver } from './bulk-actions.resolver.js';
import { BulkActionsService } from './bulk-actions.service.js';
import { BulkSteps } from './bulk-steps.js';

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
