import { Module } from '@nestjs/common';
import { ApisModule, TiersModule } from '../../catalogue/index.js';
import { OffersModule } from '../../commerce/index.js';
import { OverridesModule, TenantsModule } from '../../customers/index.js';
import { AlertsModule } from '../../usage/index.js';
import { ApiConfig, OfferConfig, TierConfig } from './catalogue-config.js';
import { ConfigResolver } from './config.resolver.js';
import { ConfigService, ConfigSteps } from './config.service.js';
import { ConfigStateRepository } from './config-state.repository.js';
import { TenantConfig } from './tenant-config.js';

@Module({
  imports: [ApisModule, TiersModule, OffersModule, TenantsModule, OverridesModule, AlertsModule],
  providers: [
    ConfigStateRepository,
    ApiConfig,
    TierConfig,
    OfferConfig,
    TenantConfig,
    ConfigSteps,
    ConfigService,
    ConfigResolver,
  ],
  exports: [ConfigService],
})
export class ConfigDocumentModule {}
