export { AlertsResolver } from './alerts/alerts.resolver.js';
export { AlertsService } from './alerts/alerts.service.js';
export { UsageIngest } from './ingest/usage-ingest.js';
export { UsageTickResolver } from './live/usage-tick.resolver.js';
export { DiscoveredOperationsResolver } from './query/discovered-operations.resolver.js';
export { DecisionsResolver, UsageResolver, UsageTopResolver } from './query/usage.resolver.js';
export {
  AlertsModule,
  LiveModule,
  UsageIngestModule,
  UsageModule,
  UsageWorkerModule,
} from './usage.modules.js';
