export { LogDestination, standardOutput } from './log-destination.js';
export { createRegistry, MetricsServer } from './metrics-server.js';
