import { Module } from '@nestjs/common';
import { EntitlementsModule } from '../entitlements/entitlements.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { OverrideCommands } from './override.commands.js';
import { OverrideLintResolver, OverrideLintService } from './override-lint.js';
import { OverridesRepository } from './overrides.repository.js';
import { OverridesResolver } from './overrides.resolver.js';
import { EndedOverridesJob, OverridesService } from './overrides.service.js';

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
