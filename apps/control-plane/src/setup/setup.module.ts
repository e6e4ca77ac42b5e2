import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from '../config/app-config.js';
import { ApisModule } from '../features/catalogue/apis/index.js';
import { TiersModule } from '../features/catalogue/tiers/index.js';
import { DeliveriesModule } from '../features/commerce/checkout/index.js';
import { OffersModule } from '../features/commerce/offers/index.js';
import { PaymentsModule } from '../features/commerce/payments/index.js';
import { PurchasesModule } from '../features/commerce/purchases/index.js';
import { EntitlementsModule } from '../features/customers/entitlements/index.js';
import { OverridesModule } from '../features/customers/overrides/index.js';
import { QuotaRequestsModule } from '../features/customers/quota-requests/index.js';
import { TenantsModule } from '../features/customers/tenants/index.js';
import { ChangeSetStepsModule } from '../features/governance/change-sets/index.js';
import { ImpactModule } from '../features/governance/impact/index.js';
import { ApiKeysModule } from '../features/identity/api-keys/index.js';
import { SignInModule } from '../features/identity/auth/index.js';
import { ServiceTokensModule } from '../features/identity/service-tokens/index.js';
import { WebhooksModule } from '../features/notify/webhooks/index.js';
import { MembersModule } from '../features/people/members/index.js';
import { AlertsModule } from '../features/usage/alerts/index.js';
import { UsageIngestModule } from '../features/usage/usage/index.js';
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
