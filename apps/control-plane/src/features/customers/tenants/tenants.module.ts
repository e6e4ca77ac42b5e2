import { Module } from '@nestjs/common';
import { TiersModule } from '../../catalogue/index.js';
import { EffectiveLimitsService } from './effective-limits.service.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { TenantCommands } from './tenant.commands.js';
import { TenantViews } from './tenant-record.repository.js';
import { TenantsRepository } from './tenants.repository.js';
import { TenantsResolver } from './tenants.resolver.js';
import { ArchiveGuards, TenantChanges, TenantsService } from './tenants.service.js';

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
