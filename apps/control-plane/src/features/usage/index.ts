export { AlertsService } from './alerts/alerts.js';
export { UsageIngest } from './ingest/usage-ingest.js';
export { JournalIngest } from './journal/journal.jobs.js';
export { SubjectHash } from './journal/journal.repository.js';
export { Decision, DecisionReason, PolicyMode } from './query/decisions.graphql.js';
export { DecisionsService } from './query/decisions.service.js';
export { busiestMinutes } from './query/limit-history.service.js';
export { IS_DENIED, UsageRepository } from './query/usage.repository.js';
export { TrafficBlocksRepository } from './recording/traffic-blocks.repository.js';
export { recordedValue } from './recording/traffic-blocks.rules.js';
export {
  AlertsModule,
  LiveModule,
  RecordingModule,
  UsageIngestModule,
  UsageModule,
  UsageWorkerModule,
} from './usage.modules.js';
