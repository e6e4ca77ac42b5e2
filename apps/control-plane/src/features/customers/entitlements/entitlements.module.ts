import { Module } from '@nestjs/common';
import { TiersModule } from '../../catalogue/index.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { AdjustmentService } from './adjustment.service.js';
import { EntitlementCommands, EntitlementGrantsService } from './entitlement-grants.service.js';
import { AdjustmentsRepository, EntitlementsRepository } from './entitlements.repository.js';
import { EntitlementsResolver } from './entitlements.resolver.js';
import { AdjustmentsPlanner, EntitlementsService } from './entitlements.service.js';
import { LimitSteps } from './limit-steps.service.js';

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
