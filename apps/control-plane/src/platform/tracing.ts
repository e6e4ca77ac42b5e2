import { BUILD } from '@tollgate/contracts/environment';
import { type Logger, startTracing, type Tracing } from '@tollgate/logging';
import type { Telemetry } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import type { AppConfig } from '../config/app-config.js';

let tracing: Tracing | undefined;
let telemetry: Telemetry | undefined;

/** Telemetry for the options of queues and job workers; empty without tracing. */
export function queueTelemetry(): { telemetry?: Telemetry } {
  return telemetry === undefined ? {} : { telemetry };
}

/** With `TRACING=otlp`, traces requests, statements and jobs. Call before the application is created. */
export async function traceProcess(
  config: Pick<AppConfig, 'tracing'>,
  service: string,
  logger: Logger,
): Promise<void> {
  if (config.tracing === 'off') return;
  tracing = await startTracing(service, BUILD.version, logger);
  tracing.followCalls();
  const [{ PrismaInstrumentation }, { BullMQOtel }] = await Promise.all([
    import('@prisma/instrumentation'),
    import('bullmq-otel'),
  ]);
  new PrismaInstrumentation().setTracerProvider(tracing.provider);
  telemetry = new BullMQOtel({ tracerName: 'tollgate', version: BUILD.version });
}

/** Traces requests with their route, except the paths of `untraced`. Call before routes are added. */
export async function traceRequests(fastify: FastifyInstance, untraced: ReadonlySet<string>): Promise<void> {
  if (tracing === undefined) return;
  const { FastifyOtelInstrumentation } = await import('@fastify/otel');
  const instrumentation = new FastifyOtelInstrumentation({
    ignorePaths: ({ url }) => untraced.has(url.split('?', 1)[0] ?? ''),
    // The query may contain a sign-in token.
    requestHook: (span, request) => {
      span.updateName(`${request.method} ${request.routeOptions.url ?? 'unknown'}`);
      span.setAttribute('url.path', request.url.split('?', 1)[0] ?? '');
    },
  });
  instrumentation.setTracerProvider(tracing.provider);
  await fastify.register(instrumentation.plugin());
}

/** Exports the remaining spans. */
export async function endTracing(): Promise<void> {
  await tracing?.close();
}
