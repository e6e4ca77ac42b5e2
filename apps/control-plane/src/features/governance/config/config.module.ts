import { Module } from '@nestjs/common';
import { ApisModule, TiersModule } from '../../catalogue/index.js';
import { OffersModule } from '../../commerce/index.js';
import { OverridesModule, TenantsModule } from '../../customers/index.js';
import { AlertsModule } from '../../usage/index.js';
import { AlertConfig } from './alert-config.js';
import { ApiConfig } from './api-config.js';
import { ConfigResolver } from './config.resolver.js';
import { ConfigService } from './config.service.js';
import { ConfigStateRepository } from './config-state.repository.js';
import { ConfigSteps } from './config-steps.js';
import { OfferConfig } from './offer-config.js';
import { OverrideConfig } from './override-config.js';
import { TenantConfig } from './tenant-config.js';
import { TenantStatesRepository } from './tenant-states.repository.js';
import { TierConfig } from './tier-config.js';

@Module({
  imports: [ApisModule, TiersModule, OffersModule, TenantsModule, OverridesModule, AlertsModule],
  providers: [
    TenantStatesRepository,
    ConfigStateRepository,
    ApiConfig,
    TierConfig,
    OfferConfig,
    OverrideConfig,
    AlertConfig,
    TenantConfig,
    ConfigSteps,
    ConfigService,
    ConfigResolver,
  ],
})
export class ConfigDocumentModule {}
