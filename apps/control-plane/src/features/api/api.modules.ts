import { Module } from '@nestjs/common';
import { JobsModule } from '../../platform/jobs/jobs-runner.js';
import { CommerceWorkerModule } from '../commerce/index.js';
import { CustomersModule, CustomersWorkerModule } from '../customers/index.js';
import { RelayWorkerModule } from '../distribution/index.js';
import {
  AuditJobsModule,
  ChangeSetsWorkerModule,
  GuardsWorkerModule,
  SimulationsWorkerModule,
} from '../governance/index.js';
import { ApiKeyJobsModule } from '../identity/index.js';
import { DeliveryWorkerModule } from '../people/index.js';
import { UsageWorkerModule } from '../usage/index.js';
import { NodeResolver } from './nodes.js';
import { InstallationResolver, ViewerResolver } from './viewer.js';

/** `viewer`, `installation` and `node`; `node` finds its repositories in all modules of the server. */
@Module({ imports: [CustomersModule], providers: [ViewerResolver, NodeResolver, InstallationResolver] })
export class ViewerModule {}

export const WORKER_MODULES = [
  JobsModule,
  RelayWorkerModule,
  AuditJobsModule,
  ChangeSetsWorkerModule,
  GuardsWorkerModule,
  SimulationsWorkerModule,
  CustomersWorkerModule,
  UsageWorkerModule,
  ApiKeyJobsModule,
  DeliveryWorkerModule,
  CommerceWorkerModule,
];
