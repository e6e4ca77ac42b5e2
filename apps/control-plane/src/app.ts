import { setTimeout as delay } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { eventLoop } from '@tollgate/limiter/stores';
import { Admission, FINISH_REQUESTS_MS, type LagBound, StartUpLag } from '@tollgate/logging';
import { type FastifyBaseLogger, LogController } from 'fastify';
import { appModule } from './app.module.js';
import type { AppConfig } from './config/app-config.js';
import { DocumentPrice } from './platform/graphql/cost/document-price.js';
import { Health } from './platform/http/health.js';
import { chargeDocuments, guardHttpServer, MAX_BODY_BYTES, PROBES } from './platform/http/http-server.js';
import { shedRequests } from './platform/http/shedding.js';
import { newId } from './platform/ids.js';
import { createLogger, type Logger, nestLog } from './platform/log.js';
import { Metrics } from './platform/metrics/metrics.js';
import { endTracing, traceRequests } from './platform/tracing.js';

/**
 * Builds the server without listening.
 * @param lag default: that of this process
 */
export async function createApp(
  config: AppConfig,
  logger: Logger = createLogger(config),
  lag: LagBound = measureLag(config),
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    loggerInstance: logger,
    // The context of the request adds its ids.
    childLoggerFactory: (parent: FastifyBaseLogger) => parent,
    genReqId: () => newId('request'),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: (_address, hop) => hop < config.trustedProxyHops,
    requestTimeout: 30_000,
    // As in the decision API: clients close idle connections before load balancers do, and those before this server.
    keepAliveTimeout: 50_000,
    http: { keepAliveTimeoutBuffer: 15_000 },
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: 'idle',
  });
  await traceRequests(adapter.getInstance(), PROBES);
  guardHttpServer(adapter.getInstance(), config);
  const app = await NestFactory.create<NestFastifyApplication>(appModule(config, logger), adapter, {
    logger: nestLog(logger),
    abortOnError: false,
  });
  const documents = app.get(DocumentPrice, { strict: false });
  chargeDocuments(adapter.getInstance(), (request) => documents.charge(request));
  const metrics = app.get(Metrics, { strict: false });
  shedRequests(adapter.getInstance(), new Admission(config.maxInFlight, lag), (reason) =>
    metrics.shed(reason),
  );
  adapter.getInstance().addHook('onResponse', async ({ routeOptions, method }, reply) => {
    metrics.responded(routeOptions.url ?? 'unknown', method, reply.statusCode, reply.elapsedTime);
  });
  return app;
}

function measureLag({ maxEventLoopLagMs: maxMs }: AppConfig): LagBound {
  const lag = new StartUpLag({ lagMs: eventLoop.lagMs, maxMs, onCalm: () => undefined });
  lag.start();
  return lag;
}

/** Fails readiness, serves until the notice is over, then finishes open requests, jobs and connections. */
export async function stopApp(app: NestFastifyApplication, config: AppConfig): Promise<void> {
  app.get(Health, { strict: false }).startDraining();
  await delay(config.drainNoticeMs);
  const cut = setTimeout(() => app.getHttpServer().closeAllConnections(), FINISH_REQUESTS_MS);
  await app.close();
  clearTimeout(cut);
  await endTracing();
}
