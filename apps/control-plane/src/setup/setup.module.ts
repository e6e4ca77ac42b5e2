import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from '../config/app-config.js';
import { ApisModule } from '../features/apis/index.js';
import { OperatorsModule } from '../features/auth/index.js';
import { ServiceTokensModule } from '../features/service-tokens/index.js';
import { TenantsModule } from '../features/tenants/index.js';
import { TiersModule } from '../features/tiers/index.js';
import type { Logger } from '../platform/logging/log.js';
import { platformModule } from '../platform/platform.module.js';
import { DemoSeed } from './demo-seed.js';
import { SetupService } from './setup.service.js';

/** What set-up needs of the application: its services, no door and no worker. */
@Module({
  imports: [OperatorsModule, ServiceTokensModule, ApisModule, TiersModule, TenantsModule],
  providers: [SetupService, DemoSeed],
})
export class SetupModule {}

@Module({})
class SetupRoot {}

/** The set-up command as a whole. */
export function setupModule(config: AppConfig, logger: Logger): DynamicModule {
  return { module: SetupRoot, imports: [platformModule(config, logger), SetupModule] };
}
