import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';
import { standardOutput } from './log-destination.js';
import { StartError } from './program.js';

const LOOP_RESOLUTION_MS = 20;

const STARTED_AT_S = Date.now() / 1000 - process.uptime();

/** A registry with `tollgate_build_info` and the metrics of the process and its log. */
export function createRegistry(version: string): Registry {
  const registry = new Registry();
  new Gauge({
    name: 'tollgate_build_info',
    help: 'Version of the process; always 1',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  observeProcess(registry);
  observeLog(registry);
  return registry;
}

function observeLog(registry: Registry): void {
  const output = standardOutput();
  const count = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  count('tollgate_log_lines_dropped_total', 'Log lines dropped', () => output.droppedLines);
  count('tollgate_log_write_errors_total', 'Failed writes to the log', () => output.writeErrors);
}

/** Not prom-client's default metrics, which also observe each garbage collection and resource. */
function observeProcess(registry: Registry): void {
  const registers = [registry];
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('process_start_time_seconds', 'Start time of the process, unix time', () => STARTED_AT_S);
  gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
  gauge('nodejs_heap_size_used_bytes', 'Used heap', () => process.memoryUsage().heapUsed);
  gauge('nodejs_eventloop_delay_max_seconds', 'Maximum event loop delay since the previous scrape', () => {
    const delayS = Math.max(0, loop.max / 1e9 - LOOP_RESOLUTION_MS / 1000);
    loop.reset();
    return delayS;
  });
}

export interface MetricsAddress {
  /** Undefined: metrics are not served. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const asJson = (readiness: Readiness): Answer => ({
  status: readiness.status === 'ok' ? 200 : 503,
  type: 'application/json',
  body: JSON.stringify(readiness),
});

/** Whether the process can do its work, and why not. */
export interface Readiness {
  /** `ok`: it can. */
  readonly status: string;
}

/**
 * `GET /metrics` for Prometheus, and with `checkReadiness` the probes `/healthz` and `/readyz` of a process without another
 * HTTP server. Needs no token: bind it to an address that only the operator can reach.
 */
export class MetricsServer {
  readonly server: Server;

  constructor(read: () => Promise<string>, checkReadiness?: () => Promise<Readiness>) {
    const metrics = async () => ({ status: 200, type: Registry.PROMETHEUS_CONTENT_TYPE, body: await read() });
    const routes = new Map<string, () => Promise<Answer>>([['/metrics', metrics]]);
    if (checkReadiness !== undefined) {
      routes.set('/healthz', async () => asJson({ status: 'ok' }));
      routes.set('/readyz', async () => asJson(await checkReadiness()));
    }
    this.server = createServer({ headersTimeout: 10_000, requestTimeout: 15_000 }, (request, response) => {
      const route = routes.get(request.url?.split('?', 1)[0] ?? '');
      if (route === undefined) response.writeHead(404).end();
      else if (request.method !== 'GET') response.writeHead(405, { Allow: 'GET' }).end();
      else
        route().then(
          ({ status, type, body }) => response.writeHead(status, { 'Content-Type': type }).end(body),
          () => response.writeHead(500).end(),
        );
    });
  }

  /** Rejects with one line if the address cannot be used. */
  async listen(
    { metricsPort, metricsHost }: MetricsAddress,
    log: { info(facts: object, message: string): void },
  ): Promise<void> {
    if (metricsPort === undefined) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.server.once('error', ({ message }) =>
      reject(new StartError(`METRICS_PORT, METRICS_HOST: ${message}`)),
    );
    this.server.listen(metricsPort, metricsHost, resolve);
    await promise;
    const { port } = this.server.address() as AddressInfo;
    log.info({ host: metricsHost, port }, 'metrics server listening');
  }

  /** Also ends open connections. */
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
