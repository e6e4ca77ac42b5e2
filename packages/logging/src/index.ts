export { Admission, type LagBound, SHED_REASONS, type ShedReason } from './admission.js';
export { LogDestination, standardOutput } from './log-destination.js';
export { addressOf, createLogger, describeError, type Logger } from './logger.js';
export { createRegistry, MetricsServer } from './metrics-server.js';
export { FINISH_REQUESTS_MS, type Program, runProgram, StartError, stopLimitMs } from './program.js';
export { StartUpLag } from './start-up-lag.js';
export { activeTraceId, startSampledSpan, startTracing, type Tracing, traceIdOf } from './tracing.js';
