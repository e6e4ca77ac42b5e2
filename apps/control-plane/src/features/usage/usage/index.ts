export { UsageIngest } from './ingest/usage-ingest.js';
export { DecisionsResolver } from './query/decisions.resolver.js';
export { DiscoveredOperationsResolver } from './query/discovered-operations.resolver.js';
export { UsageResolver } from './query/usage.resolver.js';
export { UsageTopResolver } from './query/usage-top.resolver.js';
export { UsageIngestModule, UsageModule, UsageWorkerModule } from './usage.module.js';
