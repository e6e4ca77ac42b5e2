import { Module } from '@nestjs/common';
import { TenantsModule } from '../tenants/tenants.module.js';
import { AdjustmentService } from './adjustment.service.js';
import { AdjustmentsPlanner } from './adjustments.planner.js';
import { AdjustmentsRepository } from './adjustments.repository.js';
import { EntitlementCommands } from './entitlement.commands.js';
import { EntitlementGrantsService } from './entitlement-grants.service.js';
import { EntitlementsRepository } from './entitlements.repository.js';
import { EntitlementsResolver } from './entitlements.resolver.js';
import { EntitlementsService } from './entitlements.service.js';

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
