import { Module } from '@nestjs/common';
import { ApisModule } from '../../catalogue/apis/index.js';
import { TiersModule } from '../../catalogue/tiers/index.js';
import { OffersModule } from '../../commerce/offers/index.js';
import { PaymentsModule } from '../../commerce/payments/index.js';
import { PurchasesModule } from '../../commerce/purchases/index.js';
import { BulkStepsModule } from '../../customers/bulk/index.js';
import { EntitlementsModule } from '../../customers/entitlements/index.js';
import { OverridesModule } from '../../customers/overrides/index.js';
import { QuotaRequestsModule } from '../../customers/quota-requests/index.js';
import { TenantsModule } from '../../customers/tenants/index.js';
import { AuditModule } from '../../governance/audit/index.js';
import { ChangeSetStepsModule } from '../../governance/change-sets/index.js';
import { ApiKeysModule } from '../../identity/api-keys/index.js';
import { OperatorsModule } from '../../identity/operators/index.js';
import { ServiceTokensModule } from '../../identity/service-tokens/index.js';
import { NoticesModule } from '../../notify/notices/index.js';
import { WebhookDeliveriesModule } from '../../notify/webhooks/index.js';
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
