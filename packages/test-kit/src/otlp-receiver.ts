import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
}

export interface OtlpReceiver {
  /** Variables of a process that exports its traces to this receiver at once. */
  env: Record<string, string>;
  spans: ReceivedSpan[];
  stop(): Promise<void>;
}

type KeyValues = { key: string; value: Record<string, unknown> }[];

interface Span extends Omit<ReceivedSpan, 'service' | 'attributes' | 'events'> {
  attributes?: KeyValues;
  events?: { name: string; attributes?: KeyValues }[];
}

interface TraceExport {
  resourceSpans: { resource: { attributes: KeyValues }; scopeSpans: { spans: Span[] }[] }[];
}

/** Receives traces by OTLP over HTTP in JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as TraceExport;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push(toReceived(service, span));
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      TRACING: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    spans,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function toReceived(service: string, span: Span): ReceivedSpan {
  return {
    service,
    name: span.name,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    attributes: valuesOf(span.attributes),
    events: (span.events ?? []).map((event) => ({
      name: event.name,
      attributes: valuesOf(event.attributes),
    })),
  };
}

function valuesOf(attributes: KeyValues = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
