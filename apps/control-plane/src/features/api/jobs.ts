import { JobsModule } from '../../platform/jobs/jobs.module.js';
import { CheckoutWorkerModule, PurchasesWorkerModule } from '../commerce/index.js';
import { BulkActionsWorkerModule, OverrideJobsModule, RolloutsWorkerModule } from '../customers/index.js';
import { RelayWorkerModule } from '../distribution/index.js';
import { AuditJobsModule, ChangeSetsWorkerModule } from '../governance/index.js';
import { ApiKeyJobsModule } from '../identity/index.js';
import { DeliveryWorkerModule } from '../people/index.js';
import { UsageWorkerModule } from '../usage/index.js';

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
