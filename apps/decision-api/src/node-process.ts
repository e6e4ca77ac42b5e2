import cluster from 'node:cluster';
import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { BUILD } from '@tollgate/contracts/environment';
import { DecisionPlane, type DecisionPlaneEvent } from '@tollgate/decision-plane';
import { eventLoop } from '@tollgate/decision-plane/internals';
import type { ServerTls } from '@tollgate/http2';
import { createRegistry, type LogDestination, MetricsServer } from '@tollgate/logging';
import type { Logger } from 'pino';
import { TokenVerifier } from './auth.js';
import type { AppConfig } from './config/app-config.js';
import { GrpcServer } from './envoy/grpc/server.js';
import { expiresAtS, readTls, TlsRenewal } from './envoy/grpc/tls.js';
import { Health } from './envoy/health.js';
import { readMappings } from './envoy/mapping.js';
import { rlsMethods, SERVICES } from './envoy/methods.js';
import { RateLimitService } from './envoy/rate-limit-service.js';
import { Admission, Drain } from './http/admission.js';
import { ServerMetrics } from './metrics/metrics.js';
import { registerNodeMetrics } from './metrics/node-metrics.js';
import { sendMetricsOnRequest } from './processes.js';
import { readinessProblem } from './routes/health.js';
import { createDecisionServer } from './server.js';

/** Maximum time for open requests on shutdown: half the usual grace period of 10 s. */
const FINISH_MS = 5_000;

/** Runs a node with its HTTP and gRPC servers until a signal stops it. @param output destination of `logger` */
export async function runNode(config: AppConfig, logger: Logger, output: LogDestination): Promise<void> {
  const mappings = readMappings(config.rlsMappingFile);
  const tls = config.rlsTls && readTls(config.rlsTls);
  let health: Health | undefined;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const metrics = new ServerMetrics((api) => plane.hasApi(api));
  const plane = await DecisionPlane.start({
    ...config,
    version: BUILD.version,
    takeDurations: () => metrics.takeDurations(),
    onEvent: (event) => {
      logEvent(logger, event);
      health?.refresh();
    },
  });
  const drain = new Drain();
  health = new Health(
    SERVICES,
    () => readinessProblem(plane, drain, config.readyWithoutCounters) === undefined,
  );
  const registry = createRegistry(BUILD.version);
  let certificateExpiresAtS = tls && expiresAtS(tls);
  metrics.register(registry);
  registerNodeMetrics(registry, { plane, log: output, certificateExpiresAtS: () => certificateExpiresAtS });
  const rateLimits = new RateLimitService({ plane, mappings });
  const lag = { lagMs: eventLoop.lagMs, maxMs: config.maxEventLoopLagMs };
  const server = createDecisionServer({
    ...config,
    plane,
    peppers: config.keyPeppers,
    logger,
    metrics,
    rateLimits,
    lag,
    drain,
  });
  server.listen(config.port, config.host, () => {
    const { port } = server.address() as AddressInfo;
    logger.info({ host: config.host, port }, 'decision API listening');
  });

  // In a worker process, the primary process serves the metrics of all workers.
  if (cluster.isWorker) sendMetricsOnRequest(registry);
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
    tls,
    transport: config.rlsTransport,
    limits: config.rlsLimits,
  });
  if (config.rlsPort !== undefined) {
    const renew = (renewed: ServerTls) => {
      grpc.http2.renewTls(renewed);
      certificateExpiresAtS = expiresAtS(renewed);
    };
    const renewal = config.rlsTls && new TlsRenewal(config.rlsTls, renew, logger);
    grpc.http2.listener.once('close', () => renewal?.close());
    grpc.http2.listener.listen(config.rlsPort, config.host, () => {
      const { port } = grpc.http2.listener.address() as AddressInfo;
      logger.info({ host: config.host, port, tls: tls !== undefined }, 'gRPC server listening');
    });
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (drain.isDraining) return;
      logger.info({ signal }, 'draining');
      const notice = pause(config.drainNoticeMs);
      const grpcClosed = notice.then(() => grpc.close(FINISH_MS));
      const drained = drain.run(server, notice, FINISH_MS);
      health.refresh();
      void drained
        .then(() => grpcClosed)
        .then(() => plane.close())
        .then(() => {
          // Last, so that the shutdown is visible in the metrics.
          metricsServer.close();
        })
        // The IPC channel to the primary process keeps a worker alive.
        .then(() => process.disconnect?.());
    });
  }
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
} as const;

function logEvent(log: Logger, event: DecisionPlaneEvent): void {
  if (event.kind === 'warning') log.error(event.message);
  else if (event.kind === 'error') log.warn({ err: event.error }, event.message);
  else {
    const { kind, ...fields } = event;
    const [level, message] = EVENT_LOGS[kind];
    log[level](fields, message);
  }
}
