import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from '../config/app-config.js';
import { AlertsModule } from '../features/alerts/index.js';
import { ApiKeysModule } from '../features/api-keys/index.js';
import { ApisModule } from '../features/apis/index.js';
import { SignInModule } from '../features/auth/index.js';
import { ChangeSetStepsModule } from '../features/change-sets/index.js';
import { DeliveriesModule } from '../features/checkout/index.js';
import { EntitlementsModule } from '../features/entitlements/index.js';
import { ImpactModule } from '../features/impact/index.js';
import { MembersModule } from '../features/members/index.js';
import { OffersModule } from '../features/offers/index.js';
import { OverridesModule } from '../features/overrides/index.js';
import { PaymentsModule } from '../features/payments/index.js';
import { PurchasesModule } from '../features/purchases/index.js';
import { QuotaRequestsModule } from '../features/quota-requests/index.js';
import { ServiceTokensModule } from '../features/service-tokens/index.js';
import { TenantsModule } from '../features/tenants/index.js';
import { TiersModule } from '../features/tiers/index.js';
import { UsageIngestModule } from '../features/usage/index.js';
import { WebhooksModule } from '../features/webhooks/index.js';
import type { Logger } from '../platform/logging/log.js';
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

/** What set-up needs of the application: its services, no door and no worker. */
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
