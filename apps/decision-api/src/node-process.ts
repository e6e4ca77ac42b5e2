import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { DecisionPlane, type DecisionPlaneEvent } from '@tollgate/decision-plane';
import { eventLoop } from '@tollgate/decision-plane/internals';
import type { LogDestination } from '@tollgate/logging';
import type { Logger } from 'pino';
import { TokenVerifier } from './auth.js';
import { shareMetrics } from './cluster/worker-metrics.js';
import type { AppConfig } from './config/app-config.js';
import { GrpcServer } from './envoy/grpc/server.js';
import { readTls, TlsRenewal } from './envoy/grpc/tls.js';
import { Health } from './envoy/health.js';
import { readMappings } from './envoy/mapping.js';
import { rlsMethods, SERVICES } from './envoy/methods.js';
import { RateLimitService } from './envoy/rate-limit-service.js';
import { Admission } from './http/admission.js';
import { DoorMetrics, nodeMetrics } from './metrics/metrics.js';
import { createMetricsServer } from './metrics/metrics-server.js';
import { VERSION } from './openapi/document.js';
import { Drain, readinessProblem } from './routes/health.js';
import { createDecisionServer } from './server.js';

/** Connections that still have something to finish get this long: half of what whoever stops us usually waits. */
const FINISH_MS = 5_000;

/** Runs a node and its doors in this process, until a signal ends it. @param output where `logger` writes */
export async function runNode(config: AppConfig, logger: Logger, output: LogDestination): Promise<void> {
  const mappings = readMappings(config.rlsMappingFile);
  const tls = config.rlsTls && readTls(config.rlsTls);
  let health: Health | undefined;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const plane = await DecisionPlane.start({
    countersUrl: config.countersUrl,
    configUrl: config.configUrl,
    policyKeys: config.policyKeys,
    maxStaleMs: config.maxStaleMs,
    onStale: config.onStale,
    unknownApis: config.unknownApis,
    nodeId: config.nodeId,
    version: VERSION,
    dataDir: config.dataDir,
    deadlineMs: config.deadlineMs,
    samples: config.samples,
    keyPeppers: config.peppers,
    onEvent: (event) => {
      logEvent(logger, event);
      health?.refresh();
    },
  });
  const drain = new Drain();
  const { readyWithoutCounters } = config;
  health = new Health(SERVICES, () => readinessProblem(plane, drain, readyWithoutCounters) === undefined);
  const metrics = new DoorMetrics();
  const ofNode = nodeMetrics(plane, output);
  const rateLimits = new RateLimitService({ plane, mappings, metrics });
  const lag = { lagMs: eventLoop.lagMs, maxMs: config.maxEventLoopLagMs };
  const server = createDecisionServer({
    plane,
    peppers: config.peppers,
    logger,
    metrics,
    rateLimits,
    maxInFlight: config.maxInFlight,
    lag,
    trustedHops: config.trustedHops,
    readyWithoutCounters,
    drain,
  });
  server.listen(config.port, config.host, () => {
    const { port } = server.address() as AddressInfo;
    logger.info({ host: config.host, port }, 'decision API listens');
  });

  const metricsServer = createMetricsServer(shareMetrics(() => [...metrics.families(), ...ofNode()]));
  if (config.metricsPort !== undefined) {
    metricsServer.listen(config.metricsPort, config.metricsHost, () => {
      const { port } = metricsServer.address() as AddressInfo;
      logger.info({ host: config.metricsHost, port }, 'metrics server listens');
    });
  }

  const verifier = new TokenVerifier(config.peppers, (publicId) => plane.serviceToken(publicId));
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
    const renewal =
      config.rlsTls && new TlsRenewal(config.rlsTls, (renewed) => grpc.renewTls(renewed), logger);
    grpc.listener.once('close', () => renewal?.close());
    grpc.listener.listen(config.rlsPort, config.host, () => {
      const { port } = grpc.listener.address() as AddressInfo;
      logger.info({ host: config.host, port, tls: tls !== undefined }, "Envoy's rate limit service listens");
    });
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (drain.isDraining) return;
      logger.info({ signal }, 'draining');
      const notice = pause(config.drainNoticeMs);
      const grpcClosed = notice.then(() => grpc.close(FINISH_MS));
      const drained = drain.run(server, { notice, finishMs: FINISH_MS });
      health.refresh();
      void drained
        .then(() => grpcClosed)
        .then(() => plane.close())
        .then(() => {
          // Last, so that the end is measured too.
          metricsServer.close();
          metricsServer.closeAllConnections();
        })
        // Nothing else keeps a process alive but its line to the one that started it.
        .then(() => process.disconnect?.());
    });
  }
}

function logEvent(log: Logger, event: DecisionPlaneEvent): void {
  switch (event.kind) {
    case 'degraded':
      log.error({ cause: event.cause }, 'counters cannot be asked: deciding by onUnavailable');
      break;
    case 'recovered':
      log.warn({ decisions: event.decisions }, 'counters are back');
      break;
    case 'revision':
      log.info({ revision: event.revision, applyLatencyMs: event.applyLatencyMs }, 'policy in force');
      break;
    case 'revision-refused':
      log.error(
        { revision: event.revision, reason: event.reason },
        'policy refused, the last good one stays',
      );
      break;
    case 'policy-stale':
      log.error({ ageMs: event.ageMs }, 'the control plane has not confirmed the policy for too long');
      break;
    case 'policy-fresh':
      log.warn({ ageMs: event.ageMs }, 'the policy is confirmed again');
      break;
    case 'key-budget-spent':
      log.error(
        { tenant: event.tenant, cause: event.cause },
        'too many distinct counters: more are counted together',
      );
      break;
    case 'counters-reached':
      log.info('counter redis reached');
      break;
    case 'warning':
      log.error(event.message);
      break;
    case 'error':
      log.warn({ err: event.error }, event.message);
      break;
  }
}
