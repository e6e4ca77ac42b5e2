import { Module } from '@nestjs/common';
import { JobsModule } from '../../platform/jobs/jobs-runner.js';
import { ApisModule, TiersModule } from '../catalogue/index.js';
import {
  CheckoutWorkerModule,
  OffersModule,
  PaymentsModule,
  PurchasesModule,
  PurchasesWorkerModule,
} from '../commerce/index.js';
import {
  BulkActionsWorkerModule,
  BulkStepsModule,
  EntitlementsModule,
  OverrideJobsModule,
  OverridesModule,
  QuotaRequestsModule,
  RolloutsWorkerModule,
  TenantsModule,
} from '../customers/index.js';
import { RelayWorkerModule } from '../distribution/index.js';
import {
  AuditJobsModule,
  AuditModule,
  ChangeSetStepsModule,
  ChangeSetsWorkerModule,
} from '../governance/index.js';
import { ApiKeyJobsModule, ApiKeysModule, OperatorsModule, ServiceTokensModule } from '../identity/index.js';
import { NoticesModule, WebhookDeliveriesModule } from '../notify/index.js';
import { DeliveryWorkerModule } from '../people/index.js';
import { UsageWorkerModule } from '../usage/index.js';
import { CatalogueNodes, NodeResolver, RecordNodes, SaleNodes, TenantNodes, WebhookNodes } from './nodes.js';
import { InstallationResolver, ViewerResolver } from './viewer.resolver.js';

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

/** Modules with jobs, for the server and the separate worker process. */
export const WORKER_MODULES = [
  JobsModule,
  RelayWorkerModule,
  AuditJobsModule,
  ChangeSetsWorkerModule,
  BulkActionsWorkerModule,
  UsageWorkerModule,
  RolloutsWorkerModule,
  OverrideJobsModule,
  ApiKeyJobsModule,
  DeliveryWorkerModule,
  PurchasesWorkerModule,
  CheckoutWorkerModule,
];
