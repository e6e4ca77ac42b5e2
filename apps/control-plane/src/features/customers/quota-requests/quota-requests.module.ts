import { Module } from '@nestjs/common';
import { EntitlementsModule } from '../entitlements/entitlements.module.js';
import { OverridesModule } from '../overrides/overrides.module.js';
import { TenantsModule } from '../tenants/tenants.module.js';
import { QuotaRequestsRepository } from './quota-requests.repository.js';
import { QuotaRequestsResolver } from './quota-requests.resolver.js';
import { QuotaRequestGranter, QuotaRequestsService } from './quota-requests.service.js';

@Module({
  imports: [TenantsModule, EntitlementsModule, OverridesModule],
  providers: [QuotaRequestsRepository, QuotaRequestGranter, QuotaRequestsService, QuotaRequestsResolver],
  exports: [QuotaRequestsRepository, QuotaRequestsService],
})
export class QuotaRequestsModule {}
