import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from '../config/app-config.js';
import { ApisModule, TiersModule } from '../features/catalogue/index.js';
import {
  DeliveriesModule,
  OffersModule,
  PaymentsModule,
  PurchasesModule,
} from '../features/commerce/index.js';
import {
  EntitlementsModule,
  OverridesModule,
  QuotaRequestsModule,
  TenantsModule,
} from '../features/customers/index.js';
import { ChangeSetStepsModule, ImpactModule } from '../features/governance/index.js';
import { ApiKeysModule, ServiceTokensModule, SignInModule } from '../features/identity/index.js';
import { WebhooksModule } from '../features/notify/index.js';
import { MembersModule } from '../features/people/index.js';
import { AlertsModule, UsageIngestModule } from '../features/usage/index.js';
import type { Logger } from '../platform/log.js';
import { platformModule } from '../platform/platform.module.js';
import { DemoApisSeed } from './demo-apis-seed.js';
import { DemoExceptionsSeed } from './demo-exceptions-seed.js';
import { DemoGovernanceSeed } from './demo-governance-seed.js';
import { DemoPeopleSeed } from './demo-people-seed.js';
import { DemoRequestsSeed } from './demo-requests-seed.js';
import { DemoSeed } from './demo-seed.js';
import { DemoShopSeed } from './demo-shop-seed.js';
import { DemoTiersSeed } from './demo-tiers-seed.js';
import { DemoUsageSeed } from './demo-usage-seed.js';
import { SetupService } from './setup.service.js';

/** Application for setup: services only, without HTTP server and worker. */
@Module({
  imports: [
    SignInModule,
    ServiceTokensModule,
    ApisModule,
    TiersModule,
    TenantsModule,
    OffersModule,
    PaymentsModule,
    PurchasesModule,
    DeliveriesModule,
    MembersModule,
    ApiKeysModule,
    AlertsModule,
    UsageIngestModule,
    EntitlementsModule,
    OverridesModule,
    QuotaRequestsModule,
    ChangeSetStepsModule,
    ImpactModule,
    WebhooksModule,
  ],
  providers: [
    SetupService,
    DemoApisSeed,
    DemoTiersSeed,
    DemoPeopleSeed,
    DemoShopSeed,
    DemoUsageSeed,
    DemoExceptionsSeed,
    DemoRequestsSeed,
    DemoGovernanceSeed,
    DemoSeed,
  ],
})
export class SetupModule {}

@Module({})
class SetupRoot {}

/** The set-up command as a whole. */
export function setupModule(config: AppConfig, logger: Logger): DynamicModule {
  return { module: SetupRoot, imports: [platformModule(config, logger), SetupModule] };
}
