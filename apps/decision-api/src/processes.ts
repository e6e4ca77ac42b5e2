import cluster, { type Worker } from 'node:cluster';
import path from 'node:path';
import { MetricsServer } from '@tollgate/logging';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AppConfig } from './config/app-config.js';
import { mergeMetrics, type ProcessMetrics } from './metrics/node-metrics.js';

/** A process that lived shorter restarts after this delay, ms. */
const RESTART_DELAY_MS = 1_000;

/** Maximum wait for the metrics of a process, ms; Prometheus waits ten seconds. */
const METRICS_TIMEOUT_MS = 2_000;

interface MetricsRequest {
  readonly kind: 'metrics-request';
  readonly id: number;
}

interface MetricsResponse {
  readonly kind: 'metrics-response';
  readonly id: number;
  readonly metrics: ProcessMetrics;
}

export function sendMetricsOnRequest(registry: Registry): void {
  process.on('message', async ({ kind, id }: MetricsRequest) => {
    if (kind !== 'metrics-request') return;
    const metrics = (await registry.getMetricsAsJSON()) as ProcessMetrics;
    process.send?.({ kind: 'metrics-response', id, metrics } satisfies MetricsResponse);
  });
}

/**
 * Starts workers that share the port, each a node with its own name and data folder, and restarts those that exit.
 * Ends after the last worker.
 */
export function runProcesses(config: AppConfig, logger: Logger): void {
  // Structured clone instead of JSON, which has no NaN.
  cluster.setupPrimary({ serialization: 'advanced' });
  const workers = new Map<Worker, number>();
  const metricsServer = new MetricsServer(() => readMetrics(workers));
  let stopping = false;

  const start = (number: number) => {
    const startedAtMs = performance.now();
    const worker = cluster.fork({
      NODE_ID: `${config.nodeId.slice(-60)}-${number}`,
      DATA_DIR: path.join(config.dataDir, `process-${number}`),
    });
    workers.set(worker, number);
    worker.on('exit', (code, signal) => {
      workers.delete(worker);
      if (stopping) {
        if (workers.size > 0) return;
        metricsServer.close();
        return;
      }
      logger.error({ process: number, code, signal }, 'process exited; restarting it');
      const livedMs = performance.now() - startedAtMs;
      setTimeout(() => stopping || start(number), livedMs < RESTART_DELAY_MS ? RESTART_DELAY_MS : 0);
    });
  };

  void metricsServer.listen(config, logger);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopping = true;
      for (const worker of workers.keys()) worker.process.kill(signal);
    });
  }
  for (let number = 1; number <= config.processes; number++) start(number);
}

let lastRequest = 0;

/** Omits workers that exit meanwhile or do not respond in time. */
async function readMetrics(workers: ReadonlyMap<Worker, number>): Promise<string> {
  const id = ++lastRequest;
  const metrics = new Map<number, ProcessMetrics>();
  await Promise.all(
    [...workers].map(async ([worker, number]) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const receive = (message: MetricsResponse) => {
        if (message.kind !== 'metrics-response' || message.id !== id) return;
        metrics.set(number, message.metrics);
        resolve();
      };
      const timer = setTimeout(resolve, METRICS_TIMEOUT_MS);
      worker.on('message', receive).once('exit', resolve);
      if (worker.isConnected()) worker.send({ kind: 'metrics-request', id } satisfies MetricsRequest);
      else resolve();
      await promise;
      clearTimeout(timer);
      worker.off('message', receive).off('exit', resolve);
    }),
  );
  return mergeMetrics(new Map([...metrics].sort(([a], [b]) => a - b)));
}
