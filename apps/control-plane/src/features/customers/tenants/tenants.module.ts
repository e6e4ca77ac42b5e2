import { Module } from '@nestjs/common';
import { TiersModule } from '../../catalogue/index.js';
import { DowngradeService } from './downgrade.service.js';
import { EffectiveLimitsService } from './effective-limits.service.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { TenantCommands } from './tenant.commands.js';
import { TenantArchiveService } from './tenant-archive.service.js';
import { TenantChanges } from './tenant-changes.js';
import { TenantHolds } from './tenant-holds.js';
import { TenantViews } from './tenant-views.js';
import { TenantsRepository } from './tenants.repository.js';
import { TenantsResolver } from './tenants.resolver.js';
import { TenantsService } from './tenants.service.js';

@Module({
  imports: [TiersModule],
  providers: [
    TenantsRepository,
    TenantHolds,
    TenantChanges,
    SubscriptionsRepository,
    TenantsService,
    TenantArchiveService,
    TenantCommands,
    TenantViews,
    EffectiveLimitsService,
    DowngradeService,
    TenantsResolver,
  ],
  exports: [
    TenantHolds,
    TenantsService,
    TenantsRepository,
    SubscriptionsRepository,
    EffectiveLimitsService,
    TenantViews,
  ],
})
export class TenantsModule {}
