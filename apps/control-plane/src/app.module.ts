import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { AppConfig } from './config/app-config.js';
import { ApisModule } from './features/apis/index.js';
import { AuditModule } from './features/audit/index.js';
import { AuthModule } from './features/auth/index.js';
import { DistributionModule, RelayWorkerModule } from './features/distribution/index.js';
import { LiveModule } from './features/live/index.js';
import { ServiceTokensModule } from './features/service-tokens/index.js';
import { TenantsModule } from './features/tenants/index.js';
import { TiersModule } from './features/tiers/index.js';
import { ViewerModule } from './features/viewer/index.js';
import { AccessModule } from './platform/access/access.module.js';
import { FreshLoadersInterceptor } from './platform/graphql/fresh-loaders.interceptor.js';
import { GraphqlDoorModule } from './platform/graphql/graphql.module.js';
import { HttpModule } from './platform/http/http.module.js';
import type { Logger } from './platform/logging/log.js';
import { platformModule } from './platform/platform.module.js';

@Module({})
class AppModule {}

/** The control plane's server; with `WORKER=inline` it publishes policy too. */
export function appModule(config: AppConfig, logger: Logger): DynamicModule {
  return {
    module: AppModule,
    imports: [
      platformModule(config, logger),
      AccessModule,
      AuthModule,
      HttpModule,
      GraphqlDoorModule,
      ViewerModule,
      ApisModule,
      TiersModule,
      TenantsModule,
      ServiceTokensModule,
      DistributionModule,
      AuditModule,
      LiveModule,
      ...(config.worker === 'inline' ? [RelayWorkerModule] : []),
    ],
    providers: [{ provide: APP_INTERCEPTOR, useClass: FreshLoadersInterceptor }],
  };
}
