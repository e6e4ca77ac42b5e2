export { BulkActionsModule, BulkActionsWorkerModule, BulkStepsModule } from './bulk-actions.module.js';
export { BulkActionsRepository } from './bulk-actions.repository.js';
export { BulkActionsResolver } from './bulk-actions.resolver.js';
export { RunBulkActionsJob } from './run-bulk-actions.job.js';
