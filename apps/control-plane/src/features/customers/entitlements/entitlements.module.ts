import { Module } from '@nestjs/common';
import { TenantsModule } from '../tenants/tenants.module.js';
import { AdjustmentService } from './adjustment.service.js';
import { EntitlementCommands, EntitlementGrantsService } from './entitlement-grants.service.js';
import { AdjustmentsRepository, EntitlementsRepository } from './entitlements.repository.js';
import { EntitlementsResolver } from './entitlements.resolver.js';
import { AdjustmentsPlanner, EntitlementsService } from './entitlements.service.js';

@Module({
  imports: [TenantsModule],
  providers: [
    AdjustmentsRepository,
    AdjustmentsPlanner,
    AdjustmentService,
    EntitlementsRepository,
    EntitlementsService,
    EntitlementGrantsService,
    EntitlementCommands,
    EntitlementsResolver,
  ],
  exports: [
    AdjustmentsPlanner,
    AdjustmentService,
    EntitlementsRepository,
    EntitlementsService,
    EntitlementGrantsService,
  ],
})
export class EntitlementsModule {}
