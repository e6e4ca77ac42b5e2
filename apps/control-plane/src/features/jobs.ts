import { JobsModule } from '../platform/jobs/jobs.module.js';
import { ApiKeyJobsModule } from './api-keys/index.js';
import { AuditJobsModule } from './audit/index.js';
import { BulkActionsWorkerModule } from './bulk/index.js';
import { ChangeSetsWorkerModule } from './change-sets/index.js';
import { CheckoutWorkerModule } from './checkout/index.js';
import { DeliveryWorkerModule } from './delivery/index.js';
import { RelayWorkerModule } from './distribution/index.js';
import { OverrideJobsModule } from './overrides/index.js';
import { PurchasesWorkerModule } from './purchases/index.js';
import { RolloutsWorkerModule } from './rollouts/index.js';
import { UsageWorkerModule } from './usage/index.js';

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
