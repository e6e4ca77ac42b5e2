import { Module } from '@nestjs/common';
import { TiersModule } from '../tiers/index.js';
import { EffectiveLimitsService } from './effective-limits.service.js';
import { TenantsRepository } from './tenants.repository.js';
import { TenantsResolver } from './tenants.resolver.js';
import { TenantsService } from './tenants.service.js';

@Module({
  imports: [TiersModule],
  providers: [TenantsRepository, TenantsService, EffectiveLimitsService, TenantsResolver],
  exports: [TenantsService, TenantsRepository],
})
export class TenantsModule {}
