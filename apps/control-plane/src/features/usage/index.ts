export { AlertsService } from './alerts/alerts.js';
export { UsageIngest } from './ingest/usage-ingest.js';
export { JournalIngest } from './journal/journal.jobs.js';
export { Decision, PolicyMode } from './query/decisions.graphql.js';
export { DecisionsService } from './query/decisions.service.js';
export { UsageRepository } from './query/usage.repository.js';
export {
  AlertsModule,
  LiveModule,
  UsageIngestModule,
  UsageModule,
  UsageWorkerModule,
} from './usage.modules.js';
