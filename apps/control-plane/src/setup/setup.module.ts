import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from '../config/app-config.js';
import { CatalogueModule } from '../features/catalogue/index.js';
import { CommerceModule } from '../features/commerce/index.js';
import { CustomersModule } from '../features/customers/index.js';
import { RelayModule } from '../features/distribution/index.js';
import { ChangeSetStepsModule, ConfigDocumentModule, ImpactModule } from '../features/governance/index.js';
import { ApiKeysModule, ServiceTokensModule, SignInModule } from '../features/identity/index.js';
import { WebhooksModule } from '../features/notify/index.js';
import { MembersModule } from '../features/people/index.js';
import { UsageIngestModule, UsageWorkerModule } from '../features/usage/index.js';
import type { Logger } from '../platform/log.js';
import { platformModule } from '../platform/platform.module.js';
import { DemoGovernanceSeed, DemoShopSeed } from './demo-activity-seed.js';
import { DemoClock } from './demo-clock.js';
import { DemoReplay } from './demo-replay.js';
import { DemoSeed } from './demo-seed.js';
import { DemoAdjustmentsSeed, DemoCallers, DemoPeopleSeed, DemoRequestsSeed } from './demo-tenants-seed.js';
import { LimitOrderCheck } from './limit-order.js';
import { SetupService } from './setup.service.js';

/** Application for setup: services only, without HTTP server and worker. */
@Module({
  imports: [
    SignInModule,
    ServiceTokensModule,
    CatalogueModule,
    CustomersModule,
    CommerceModule,
    MembersModule,
    ApiKeysModule,
    UsageIngestModule,
    UsageWorkerModule,
    RelayModule,
    ChangeSetStepsModule,
    ConfigDocumentModule,
    ImpactModule,
    WebhooksModule,
  ],
  providers: [
    SetupService,
    LimitOrderCheck,
    DemoSeed,
    DemoPeopleSeed,
    DemoShopSeed,
    DemoClock,
    DemoCallers,
    DemoReplay,
    DemoAdjustmentsSeed,
    DemoRequestsSeed,
    DemoGovernanceSeed,
  ],
})
export class SetupModule {}

@Module({})
class SetupRoot {}

/** Root module of the set-up command. */
export function setupModule(config: AppConfig, logger: Logger): DynamicModule {
  return { module: SetupRoot, imports: [platformModule(config, logger), SetupModule] };
}
