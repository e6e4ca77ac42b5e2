import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { AppConfig } from './config/app-config.js';
import { WORKER_MODULES } from './features/api/api.modules.js';
import { ViewerModule } from './features/api/index.js';
import { CatalogueModule } from './features/catalogue/index.js';
import { CommerceModule, CommerceRoutesModule } from './features/commerce/index.js';
import { CustomersModule } from './features/customers/index.js';
import { DistributionModule } from './features/distribution/index.js';
import {
  AuditModule,
  ChangeSetsModule,
  ConfigDocumentModule,
  ExplanationsModule,
  GuardsModule,
  ImpactModule,
  PastEffectsModule,
  RevertsModule,
  RevisionsModule,
  SimulationsModule,
} from './features/governance/index.js';
import {
  ApiKeysModule,
  AuthModule,
  OperatorsModule,
  ServiceTokensModule,
} from './features/identity/index.js';
import { NoticesModule, WebhooksModule } from './features/notify/index.js';
import { AccountModule, MailboxModule, MembersModule } from './features/people/index.js';
import { AlertsModule, LiveModule, UsageModule } from './features/usage/index.js';
import { AccessModule } from './platform/access/permission.guard.js';
import {
  FreshLoadersInterceptor,
  GraphqlApiModule,
  ImpactInterceptor,
} from './platform/graphql/graphql.module.js';
import { HttpModule } from './platform/http/console.routes.js';
import { InstallationModule } from './platform/installation/installation.resolver.js';
import { JobsApiModule } from './platform/jobs/jobs.resolver.js';
import type { Logger } from './platform/log.js';
import { platformModule } from './platform/platform.module.js';

@Module({})
class AppModule {}

/** Modules of the HTTP server. */
export const API_MODULES = [
  AccessModule,
  AuthModule,
  AccountModule,
  HttpModule,
  JobsApiModule,
  InstallationModule,
  GraphqlApiModule,
  ViewerModule,
  CatalogueModule,
  CustomersModule,
  MembersModule,
  ApiKeysModule,
  AlertsModule,
  ConfigDocumentModule,
  ServiceTokensModule,
  OperatorsModule,
  CommerceModule,
  CommerceRoutesModule,
  DistributionModule,
  RevisionsModule,
  ExplanationsModule,
  SimulationsModule,
  RevertsModule,
  GuardsModule,
  AuditModule,
  ChangeSetsModule,
  LiveModule,
  NoticesModule,
  WebhooksModule,
  MailboxModule,
  ImpactModule,
  PastEffectsModule,
  UsageModule,
];

/** The control plane's server; with `WORKER=inline` it runs the jobs too. */
export function appModule(config: AppConfig, logger: Logger): DynamicModule {
  const workers = config.worker === 'inline' ? WORKER_MODULES : [];
  return {
    module: AppModule,
    imports: [platformModule(config, logger), ...API_MODULES, ...workers],
    providers: [FreshLoadersInterceptor, ImpactInterceptor].map((useClass) => ({
      provide: APP_INTERCEPTOR,
      useClass,
    })),
  };
}
