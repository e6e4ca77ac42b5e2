import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { ApisModule } from '../apis/index.js';
import { AuditModule } from '../audit/index.js';
import { BulkStepsModule } from '../bulk/index.js';
import { ChangeSetStepsModule } from '../change-sets/index.js';
import { EntitlementsModule } from '../entitlements/index.js';
import { NoticesModule } from '../notices/index.js';
import { OffersModule } from '../offers/index.js';
import { OperatorsModule } from '../operators/index.js';
import { OverridesModule } from '../overrides/index.js';
import { PaymentsModule } from '../payments/index.js';
import { PurchasesModule } from '../purchases/index.js';
import { QuotaRequestsModule } from '../quota-requests/index.js';
import { ServiceTokensModule } from '../service-tokens/index.js';
import { TenantsModule } from '../tenants/index.js';
import { TiersModule } from '../tiers/index.js';
import { WebhookDeliveriesModule } from '../webhooks/index.js';
import { CatalogueNodes } from './catalogue-nodes.js';
import { InstallationResolver } from './installation.resolver.js';
import { NodeResolver } from './node.resolver.js';
import { RecordNodes, WebhookNodes } from './record-nodes.js';
import { SaleNodes } from './sale-nodes.js';
import { TenantNodes } from './tenant-nodes.js';
import { ViewerResolver } from './viewer.resolver.js';

@Module({
  imports: [
    ApisModule,
    ApiKeysModule,
    TiersModule,
    TenantsModule,
    ServiceTokensModule,
    AuditModule,
    OffersModule,
    PaymentsModule,
    PurchasesModule,
    BulkStepsModule,
    ChangeSetStepsModule,
    EntitlementsModule,
    OverridesModule,
    QuotaRequestsModule,
    NoticesModule,
    OperatorsModule,
    WebhookDeliveriesModule,
  ],
  providers: [
    ViewerResolver,
    CatalogueNodes,
    TenantNodes,
    SaleNodes,
    WebhookNodes,
    RecordNodes,
    NodeResolver,
    InstallationResolver,
  ],
})
export class ViewerModule {}
