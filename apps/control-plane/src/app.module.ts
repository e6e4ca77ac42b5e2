import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { AppConfig } from './config/app-config.js';
import { WORKER_MODULES } from './features/api/jobs.js';
import { ViewerModule } from './features/api/viewer/index.js';
import { ApisModule } from './features/catalogue/apis/index.js';
import { TiersModule } from './features/catalogue/tiers/index.js';
import { CheckoutModule } from './features/commerce/checkout/index.js';
import { OffersModule } from './features/commerce/offers/index.js';
import { PurchasesModule } from './features/commerce/purchases/index.js';
import { BulkActionsModule } from './features/customers/bulk/index.js';
import { EntitlementsModule } from './features/customers/entitlements/index.js';
import { OverridesModule } from './features/customers/overrides/index.js';
import { QuotaRequestsModule } from './features/customers/quota-requests/index.js';
import { RolloutsModule } from './features/customers/rollouts/index.js';
import { TenantsModule } from './features/customers/tenants/index.js';
import { DistributionModule } from './features/distribution/index.js';
import { AuditModule } from './features/governance/audit/index.js';
import { ChangeSetsModule } from './features/governance/change-sets/index.js';
import { ConfigDocumentModule } from './features/governance/config/index.js';
import { ImpactModule } from './features/governance/impact/index.js';
import { RevertsModule } from './features/governance/reverts/index.js';
import { RevisionsModule } from './features/governance/revisions/index.js';
import { ApiKeysModule } from './features/identity/api-keys/index.js';
import { AuthModule } from './features/identity/auth/index.js';
import { OperatorsModule } from './features/identity/operators/index.js';
import { ServiceTokensModule } from './features/identity/service-tokens/index.js';
import { NoticesModule } from './features/notify/notices/index.js';
import { WebhooksModule } from './features/notify/webhooks/index.js';
import { AccountModule } from './features/people/account/index.js';
import { MailboxModule } from './features/people/delivery/index.js';
import { MembersModule } from './features/people/members/index.js';
import { AlertsModule } from './features/usage/alerts/index.js';
import { LiveModule } from './features/usage/live/index.js';
import { UsageModule } from './features/usage/usage/index.js';
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
