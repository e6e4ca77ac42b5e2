export { AlertsService } from './alerts/alerts.js';
export { UsageIngest } from './ingest/usage-ingest.js';
export { JournalIngest } from './journal/journal.jobs.js';
export {
  AlertsModule,
  LiveModule,
  UsageIngestModule,
  UsageModule,
  UsageWorkerModule,
} from './usage.modules.js';
