import cluster from 'node:cluster';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { BUILD } from '@tollgate/contracts/environment';
import { DecisionPlane, type DecisionPlaneEvent } from '@tollgate/decision-plane';
import { UnsuitableRedis } from '@tollgate/decision-plane/operate';
import { eventLoop } from '@tollgate/limiter/stores';
import {
  Admission,
  addressOf,
  createRegistry,
  describeError,
  FINISH_REQUESTS_MS,
  type Logger,
  MetricsServer,
  type Program,
  StartError,
  StartUpLag,
  startTracing,
  stopLimitMs,
} from '@tollgate/logging';
import { TokenVerifier } from './auth.js';
import type { AppConfig } from './config/app-config.js';
import { DenialLinks } from './denial-links.js';
import type { ServerTls } from './envoy/grpc/http2-server.js';
import { GrpcServer } from './envoy/grpc/server.js';
import { expiresAtS, readTls, TlsRenewal } from './envoy/grpc/tls.js';
import { Health } from './envoy/health.js';
import { readMappings } from './envoy/mapping.js';
import { rlsMethods, SERVICES } from './envoy/methods.js';
import { RateLimitService } from './envoy/rate-limit-service.js';
import { Drain } from './http/admission.js';
import { ServerMetrics } from './metrics/metrics.js';
import { registerNodeMetrics } from './metrics/node-metrics.js';
import { Siblings } from './processes.js';
import { readinessProblem } from './routes/health.js';
import { createDecisionServer } from './server.js';

/** Runs a node with its HTTP and gRPC servers until a signal stops it. */
export async function runNode(config: AppConfig, program: Program): Promise<void> {
  const { logger } = program;
  const mappings = readMappings(config.rlsMappingFile);
  const tls = config.rlsTls && readTls(config.rlsTls);
  let health: Health | undefined;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const metrics = new ServerMetrics((api) => plane.hasApi(api));
  const plane: DecisionPlane = await DecisionPlane.start({
    ...config,
    version: BUILD.version,
    takeDurations: () => metrics.takeDurations(),
    onEvent: (event) => {
      logEvent(logger, event, config);
      health?.refresh();
    },
  }).catch((error: unknown) => {
    throw error instanceof UnsuitableRedis ? new StartError(error.message) : error;
  });
  const tracing =
    config.tracing === 'off' ? undefined : await startTracing('decision-api', BUILD.version, logger);
  const drain = new Drain();
  const registry = createRegistry(BUILD.version);
  const lag = new StartUpLag({
    lagMs: eventLoop.lagMs,
    maxMs: config.maxEventLoopLagMs,
    onCalm: () => health?.refresh(),
  });
  lag.start();
  const isReady = () => readinessProblem(plane, drain, config.readyWithoutCounters, lag) === undefined;
  const siblings = new Siblings(registry, isReady, () => health?.refresh());
  health = new Health(SERVICES, () => isReady() && siblings.areReady);
  let certificateExpiresAtS = tls && expiresAtS(tls);
  metrics.register(registry);
  registerNodeMetrics(registry, {
    plane,
    certificateExpiresAtS: () => certificateExpiresAtS,
  });
  const links = new DenialLinks(plane, config.denialLinks);
  const rateLimits = new RateLimitService({ plane, mappings, links });
  const server = createDecisionServer({
    ...config,
    plane,
    peppers: config.keyPeppers,
    logger,
    metrics,
    rateLimits,
    links,
    lag,
    drain,
    siblings,
    tracing,
  });
  server.listen(config.port, config.host, () => {
    const { port } = server.address() as AddressInfo;
    logger.info({ host: config.host, port }, 'decision API listening');
  });

  // In a worker process, the primary process serves the metrics of all workers.
  const metricsServer = new MetricsServer(() => registry.metrics());
  if (!cluster.isWorker) await metricsServer.listen(config, logger);

  const verifier = new TokenVerifier(config.keyPeppers, (publicId) => plane.serviceToken(publicId));
  const methods = rlsMethods({
    plane,
    verifier,
    service: rateLimits,
    health,
    admission: new Admission(config.rlsMaxInFlight, lag),
    metrics,
    reflection: config.rlsReflection,
  });
  const grpc = new GrpcServer(methods, logger, metrics, {
    tracing,
    tls,
    limits: config.rlsLimits,
  });
  if (config.rlsPort !== undefined) {
    const renew = (renewed: ServerTls) => {
      grpc.http2.renewTls(renewed);
      certificateExpiresAtS = expiresAtS(renewed);
    };
    const renewal = config.rlsTls && new TlsRenewal(config.rlsTls, renew, logger);
    grpc.http2.server.once('close', () => renewal?.close());
    grpc.http2.server.listen(config.rlsPort, config.host, () => {
      const { port } = grpc.http2.server.address() as AddressInfo;
      logger.info({ host: config.host, port, tls: tls !== undefined }, 'gRPC server listening');
    });
  }

  const stop = async () => {
    const notice = pause(config.drainNoticeMs);
    const grpcClosed = notice.then(() => grpc.close(FINISH_REQUESTS_MS));
    const drained = drain.run(server, notice, FINISH_REQUESTS_MS);
    health.refresh();
    await drained;
    await grpcClosed;
    await plane.close();
    await tracing?.close();
    // Last, so that the shutdown is visible in the metrics.
    metricsServer.close();
  };
  program.onStop(stop, stopLimitMs(config.drainNoticeMs));
}

/** Level and message of each event, except those that carry their own message. */
const EVENT_LOGS = {
  degraded: ['error', 'counter redis unavailable; applying onUnavailable'],
  recovered: ['warn', 'counter redis available again'],
  revision: ['info', 'policy applied'],
  'revision-rejected': ['error', 'policy rejected; keeping the last valid one'],
  'policy-stale': ['error', 'policy stale; no confirmation from the control plane'],
  'policy-fresh': ['warn', 'policy confirmed again'],
  'key-budget-spent': ['error', 'too many distinct counters; further ones are aggregated'],
  'counters-reached': ['info', 'counter redis reached'],
  'quotas-known': ['info', 'quota usage known'],
} as const;

/** Errors in our code, which need a stack; others are failures of Redis or the disk. */
const BUGS: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'RangeError']);

function logEvent(log: Logger, event: DecisionPlaneEvent, config: AppConfig): void {
  if (event.kind === 'warning') log.error(event.message);
  else if (event.kind === 'error') {
    const { message, error } = event;
    const { type, message: reason } = describeError(error);
    const facts = BUGS.has(type) ? { err: error } : { error: reason };
    log.warn({ ...redisNamedBy(message, config), ...facts }, message);
  } else {
    const { kind, ...fields } = event;
    const [level, message] = EVENT_LOGS[kind];
    log[level](fields, message);
  }
}

/** Variable and address of the Redis that a message is about. */
function redisNamedBy(message: string, { configUrl, countersUrl }: AppConfig) {
  if (message.startsWith('policy redis'))
    return { setting: 'REDIS_CONFIG_URL', address: addressOf(configUrl) };
  if (message.startsWith('counter redis'))
    return { setting: 'REDIS_COUNTERS_URL', address: addressOf(countersUrl) };
  return {};
}
