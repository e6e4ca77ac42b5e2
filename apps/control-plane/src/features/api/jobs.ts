import { JobsModule } from '../../platform/jobs/jobs.module.js';
import { CheckoutWorkerModule } from '../commerce/checkout/index.js';
import { PurchasesWorkerModule } from '../commerce/purchases/index.js';
import { BulkActionsWorkerModule } from '../customers/bulk/index.js';
import { OverrideJobsModule } from '../customers/overrides/index.js';
import { RolloutsWorkerModule } from '../customers/rollouts/index.js';
import { RelayWorkerModule } from '../distribution/index.js';
import { AuditJobsModule } from '../governance/audit/index.js';
import { ChangeSetsWorkerModule } from '../governance/change-sets/index.js';
import { ApiKeyJobsModule } from '../identity/api-keys/index.js';
import { DeliveryWorkerModule } from '../people/delivery/index.js';
import { UsageWorkerModule } from '../usage/usage/index.js';

/** What runs jobs, whether beside the server or in a process of its own: the modules of features that have any. */
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
