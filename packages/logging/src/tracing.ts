import { setTimeout as delay } from 'node:timers/promises';
import type { Attributes, Span, Tracer, TracerProvider } from '@opentelemetry/api';
import type { Logger } from './logger.js';

/** Longest wait for the last export when the process stops, ms. */
const FLUSH_WITHIN_MS = 800;

/** A W3C `traceparent` header: trace id, span id and flags. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})/;

let api: typeof import('@opentelemetry/api') | undefined;

export interface Tracing {
  readonly provider: TracerProvider;
  readonly tracer: Tracer;
  /** Spans and logs follow the asynchronous calls of a request. Not for the decision path, where it would cost too much. */
  followCalls(): void;
  /** Exports the remaining spans; bounded. */
  close(): Promise<void>;
}

/**
 * Exports spans by OTLP over HTTP. The standard variables apply: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER`,
 * `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_SERVICE_NAME`. OpenTelemetry is loaded here only, not where tracing is off.
 */
export async function startTracing(service: string, version: string, logger: Logger): Promise<Tracing> {
  const [loaded, { NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  api = loaded;
  const log = (message: string) => logger.warn({ error: message }, 'tracing failed');
  const silent = () => undefined;
  loaded.diag.setLogger(
    { error: log, warn: log, info: silent, debug: silent, verbose: silent },
    loaded.DiagLogLevel.WARN,
  );
  const names = { 'service.name': `tollgate-${service}`, 'service.version': version };
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  const resource = defaultResource()
    .merge(resourceFromAttributes(names))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  return {
    provider,
    tracer: provider.getTracer('tollgate', version),
    followCalls: () => provider.register(),
    close: () => Promise.race([provider.shutdown().catch(log), delay(FLUSH_WITHIN_MS)]).then(silent),
  };
}

/** The trace id of the current span; undefined without tracing. */
export function activeTraceId(): string | undefined {
  return api?.trace.getActiveSpan()?.spanContext().traceId;
}

/** The trace id of a `traceparent` header; undefined if it is missing or invalid. */
export function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}

/** Starts the span of a server whose caller samples this trace; otherwise undefined, at the cost of one comparison. */
export function startSampledSpan(
  { tracer }: Tracing,
  traceparent: string | string[] | undefined,
  name: string,
  attributes: Attributes,
): Span | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (api === undefined || traceId === undefined || spanId === undefined || flags === undefined)
    return undefined;
  if ((Number.parseInt(flags, 16) & api.TraceFlags.SAMPLED) === 0) return undefined;
  const parent = { traceId, spanId, traceFlags: api.TraceFlags.SAMPLED, isRemote: true };
  const context = api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
  return tracer.startSpan(name, { kind: api.SpanKind.SERVER, attributes }, context);
}
