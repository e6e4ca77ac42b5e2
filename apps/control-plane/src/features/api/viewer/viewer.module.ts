import { Module } from '@nestjs/common';
import { ApisModule, TiersModule } from '../../catalogue/index.js';
import { OffersModule, PaymentsModule, PurchasesModule } from '../../commerce/index.js';
import {
  BulkStepsModule,
  EntitlementsModule,
  OverridesModule,
  QuotaRequestsModule,
  TenantsModule,
} from '../../customers/index.js';
import { AuditModule, ChangeSetStepsModule } from '../../governance/index.js';
import { ApiKeysModule, OperatorsModule, ServiceTokensModule } from '../../identity/index.js';
import { NoticesModule, WebhookDeliveriesModule } from '../../notify/index.js';
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
