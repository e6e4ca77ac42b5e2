import cluster, { type Worker } from 'node:cluster';
import path from 'node:path';
import { MetricsServer, type Program, StartError, stopLimitMs } from '@tollgate/logging';
import type { Registry } from 'prom-client';
import type { AppConfig } from './config/app-config.js';
import { mergeMetrics, type ProcessMetrics } from './metrics/node-metrics.js';

/** A process that lived shorter restarts after this delay, ms. */
const RESTART_DELAY_MS = 1_000;

/** Additional time for workers that end at their own limit, ms. */
const KILL_AFTER_MS = 200;

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

/** Sent by each worker, and to each worker about all of them. */
interface StateMessage {
  readonly kind: 'state';
  readonly isReady: boolean;
}

type ToWorker = MetricsRequest | StateMessage;
type ToPrimary = MetricsResponse | StateMessage;

const STATE_EVERY_MS = 500;

/** A process that did not report itself ready for this time makes the node not ready, ms. A restart takes a second. */
const MISSING_AFTER_MS = 3_000;

/** A process that reported before and is silent for this time is killed and replaced, ms. */
const HUNG_AFTER_MS = 10_000;

/** The other processes of a worker. */
export class Siblings {
  /** Whether all processes are ready. */
  areReady = !cluster.isWorker;

  /** @param isReady of this process. @param onChange of `areReady` */
  constructor(registry: Registry, isReady: () => boolean, onChange: () => void) {
    if (!cluster.isWorker) return;
    process.on('message', async (message: ToWorker) => {
      if (message.kind === 'metrics-request') {
        const metrics = (await registry.getMetricsAsJSON()) as ProcessMetrics;
        send({ kind: 'metrics-response', id: message.id, metrics });
      } else if (message.isReady !== this.areReady) {
        this.areReady = message.isReady;
        onChange();
      }
    });
    const report = () => send({ kind: 'state', isReady: isReady() });
    report();
    setInterval(report, STATE_EVERY_MS).unref();
  }
}

function send(message: ToPrimary): void {
  // The primary process may have ended.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Does nothing if the worker has ended: without a callback, a broken channel would be an exception of this process. */
export function sendTo(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, undefined, () => undefined);
}

/** Last reports of the workers, by number. Kept by the primary process. */
export class ProcessStates {
  private readonly readyAtMs = new Map<number, number>();
  private readonly heardAtMs = new Map<number, number>();
  private checkedAtMs: number;

  constructor(
    private readonly processes: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.checkedAtMs = nowMs();
  }

  heard(number: number, isReady: boolean): void {
    this.heardAtMs.set(number, this.nowMs());
    if (isReady) this.readyAtMs.set(number, this.nowMs());
    else this.readyAtMs.delete(number);
  }

  ended(number: number): void {
    this.heardAtMs.delete(number);
  }

  /** Call once per `STATE_EVERY_MS`. Returns whether all are ready, and which are hung. */
  check(): { areReady: boolean; hung: number[] } {
    const nowMs = this.nowMs();
    // Nothing was received while this process itself was stopped.
    const wasStopped = nowMs - this.checkedAtMs > MISSING_AFTER_MS;
    this.checkedAtMs = nowMs;
    if (wasStopped) {
      for (const times of [this.readyAtMs, this.heardAtMs])
        for (const number of times.keys()) times.set(number, nowMs);
    }
    const ready = [...this.readyAtMs.values()].filter((atMs) => nowMs - atMs <= MISSING_AFTER_MS);
    const hung = [...this.heardAtMs].filter(([, atMs]) => nowMs - atMs > HUNG_AFTER_MS);
    return { areReady: ready.length === this.processes, hung: hung.map(([number]) => number) };
  }
}

/**
 * Starts workers that share the port, each a node with its own name and data folder, and replaces those that exit or hang.
 * @throws StartError if a worker exits before any has listened: its own log line names the problem
 */
export async function runProcesses(config: AppConfig, program: Program): Promise<void> {
  const { logger } = program;
  // Structured clone instead of JSON, which has no NaN.
  cluster.setupPrimary({ serialization: 'advanced' });
  const workers = new Map<Worker, number>();
  const states = new ProcessStates(config.processes);
  const metricsServer = new MetricsServer(() => readMetrics(workers));
  const firstListens = Promise.withResolvers<void>();
  const allEnded = Promise.withResolvers<void>();
  let hasListened = false;
  let stopping = false;

  const start = (number: number) => {
    const startedAtMs = performance.now();
    const worker = cluster.fork({
      NODE_ID: `${config.nodeId.slice(-60)}-${number}`,
      DATA_DIR: path.join(config.dataDir, `process-${number}`),
    });
    workers.set(worker, number);
    worker.once('listening', () => {
      hasListened = true;
      firstListens.resolve();
    });
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'state') states.heard(number, message.isReady);
    });
    worker.on('exit', (code, signal) => {
      workers.delete(worker);
      states.ended(number);
      if (stopping) {
        if (workers.size === 0) allEnded.resolve();
        return;
      }
      if (!hasListened) {
        firstListens.reject(new StartError(`process ${number} exited at start with code ${code}`));
        return;
      }
      logger.error({ process: number, code, signal }, 'process exited; restarting it');
      const livedMs = performance.now() - startedAtMs;
      setTimeout(() => stopping || start(number), livedMs < RESTART_DELAY_MS ? RESTART_DELAY_MS : 0);
    });
  };

  const check = () => {
    const { areReady, hung } = states.check();
    for (const [worker, number] of workers) {
      sendTo(worker, { kind: 'state', isReady: areReady });
      if (!hung.includes(number) || stopping) continue;
      logger.error({ process: number }, 'process does not respond; killing it');
      worker.process.kill('SIGKILL');
    }
  };

  const limitMs = stopLimitMs(config.drainNoticeMs);
  const stop = async (signal: NodeJS.Signals) => {
    stopping = true;
    if (workers.size === 0) return;
    for (const worker of workers.keys()) worker.process.kill(signal);
    // Just before this process gives up.
    const kill = () => {
      for (const worker of workers.keys()) worker.process.kill('SIGKILL');
    };
    setTimeout(kill, limitMs + KILL_AFTER_MS).unref();
    await allEnded.promise;
    metricsServer.close();
  };
  program.onStop(stop, limitMs + 2 * KILL_AFTER_MS);
  await metricsServer.listen(config, logger);
  for (let number = 1; number <= config.processes; number++) start(number);
  setInterval(check, STATE_EVERY_MS);
  await firstListens.promise;
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
      if (!worker.isConnected()) resolve();
      sendTo(worker, { kind: 'metrics-request', id });
      await promise;
      clearTimeout(timer);
      worker.off('message', receive).off('exit', resolve);
    }),
  );
  return mergeMetrics(new Map([...metrics].sort(([a], [b]) => a - b)));
}
