import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { AppConfig } from '../config/app-config.js';

export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[];

/** Adds the label `process` to every sample. */
export function mergeMetrics(metricsByProcess: ReadonlyMap<number, ProcessMetrics>): Promise<string> {
  const labeled = [...metricsByProcess].map(([process, metrics]) =>
    metrics.map((metric) => ({
      ...metric,
      values: metric.values.map((one) => ({ ...one, labels: { ...one.labels, process: String(process) } })),
    })),
  );
  return AggregatorRegistry.aggregate(labeled).metrics();
}

/** `GET /metrics` for Prometheus. Needs no token: bind it to an address that only the operator can reach. */
export function createMetricsServer(read: () => Promise<string>): Server {
  return createServer({ headersTimeout: 10_000, requestTimeout: 15_000 }, (request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') response.writeHead(404).end();
    else if (request.method !== 'GET') response.writeHead(405, { Allow: 'GET' }).end();
    else
      read().then(
        (text) => response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
        () => response.writeHead(500).end(),
      );
  });
}

export function listenForMetrics(
  server: Server,
  { metricsPort, metricsHost }: Pick<AppConfig, 'metricsPort' | 'metricsHost'>,
  logger: Logger,
): void {
  server.listen(metricsPort, metricsHost, () => {
    const { port } = server.address() as AddressInfo;
    logger.info({ host: metricsHost, port }, 'metrics server listening');
  });
}
