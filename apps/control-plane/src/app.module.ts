import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { AppConfig } from './config/app-config.js';
import { AccountModule } from './features/account/index.js';
import { AlertsModule } from './features/alerts/index.js';
import { ApiKeysModule } from './features/api-keys/index.js';
import { ApisModule } from './features/apis/index.js';
import { AuditModule } from './features/audit/index.js';
import { AuthModule } from './features/auth/index.js';
import { BulkActionsModule } from './features/bulk/index.js';
import { ChangeSetsModule } from './features/change-sets/index.js';
import { CheckoutModule } from './features/checkout/index.js';
import { ConfigDocumentModule } from './features/config/index.js';
import { MailboxModule } from './features/delivery/index.js';
import { DistributionModule } from './features/distribution/index.js';
import { EntitlementsModule } from './features/entitlements/index.js';
import { ImpactModule } from './features/impact/index.js';
import { WORKER_MODULES } from './features/jobs.js';
import { LiveModule } from './features/live/index.js';
import { MembersModule } from './features/members/index.js';
import { NoticesModule } from './features/notices/index.js';
import { OffersModule } from './features/offers/index.js';
import { OperatorsModule } from './features/operators/index.js';
import { OverridesModule } from './features/overrides/index.js';
import { PurchasesModule } from './features/purchases/index.js';
import { QuotaRequestsModule } from './features/quota-requests/index.js';
import { RevertsModule } from './features/reverts/index.js';
import { RevisionsModule } from './features/revisions/index.js';
import { RolloutsModule } from './features/rollouts/index.js';
import { ServiceTokensModule } from './features/service-tokens/index.js';
import { TenantsModule } from './features/tenants/index.js';
import { TiersModule } from './features/tiers/index.js';
import { UsageModule } from './features/usage/index.js';
import { ViewerModule } from './features/viewer/index.js';
import { WebhooksModule } from './features/webhooks/index.js';
import { AccessModule } from './platform/access/access.module.js';
import { FreshLoadersInterceptor } from './platform/graphql/fresh-loaders.interceptor.js';
import { GraphqlDoorModule } from './platform/graphql/graphql.module.js';
import { ImpactInterceptor } from './platform/graphql/impact.interceptor.js';
import { HttpModule } from './platform/http/http.module.js';
import { JobsBoardModule } from './platform/jobs/jobs.module.js';
import type { Logger } from './platform/logging/log.js';
import { platformModule } from './platform/platform.module.js';

@Module({})
class AppModule {}

/** The control plane's server; with `WORKER=inline` it runs the jobs too. */
export function appModule(config: AppConfig, logger: Logger): DynamicModule {
  return {
    module: AppModule,
    imports: [
      platformModule(config, logger),
      AccessModule,
      AuthModule,
      AccountModule,
      HttpModule,
      JobsBoardModule,
      GraphqlDoorModule,
      ViewerModule,
      ApisModule,
      TiersModule,
      TenantsModule,
      RolloutsModule,
      MembersModule,
      ApiKeysModule,
      AlertsModule,
      ConfigDocumentModule,
      EntitlementsModule,
      OverridesModule,
      QuotaRequestsModule,
      ServiceTokensModule,
      OperatorsModule,
      OffersModule,
      PurchasesModule,
      CheckoutModule,
      DistributionModule,
      RevisionsModule,
      RevertsModule,
      AuditModule,
      ChangeSetsModule,
      BulkActionsModule,
      LiveModule,
      NoticesModule,
      WebhooksModule,
      MailboxModule,
      ImpactModule,
      UsageModule,
      ...(config.worker === 'inline' ? WORKER_MODULES : []),
    ],
    providers: [FreshLoadersInterceptor, ImpactInterceptor].map((useClass) => ({
      provide: APP_INTERCEPTOR,
      useClass,
    })),
  };
}
