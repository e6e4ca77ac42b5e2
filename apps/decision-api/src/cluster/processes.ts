import cluster, { type Worker } from 'node:cluster';
import path from 'node:path';
import type { Logger } from 'pino';
import type { AppConfig } from '../config/app-config.js';
import type { ProcessMessage } from './messages.js';
import { MetricsRound } from './metrics-round.js';

/** A process that ends sooner than this is started again only after this long, ms. */
const RESTART_PAUSE_MS = 1_000;

/**
 * Starts several processes that share the port, each a node of its own with its own name and folder, and starts again
 * those that die. Signals are passed on; this process ends when the last of them has.
 */
export function runProcesses(config: AppConfig, logger: Logger): void {
  const slots = new Map<Worker, number>();
  const rounds = new Map<number, MetricsRound>();
  let lastRound = 0;
  let stopping = false;

  const start = (slot: number) => {
    const startedAtMs = performance.now();
    const worker = cluster.fork({
      NODE_ID: `${config.nodeId.slice(-60)}-${slot}`,
      DATA_DIR: path.join(config.dataDir, `process-${slot}`),
    });
    slots.set(worker, slot);
    worker.on('message', (message: ProcessMessage) => receive(worker, message));
    worker.on('exit', (code, signal) => {
      slots.delete(worker);
      for (const round of rounds.values()) round.leave(worker);
      if (stopping) return;
      logger.error({ slot, code, signal }, 'a process ended: starting it again');
      const livedMs = performance.now() - startedAtMs;
      setTimeout(() => stopping || start(slot), livedMs < RESTART_PAUSE_MS ? RESTART_PAUSE_MS : 0);
    });
  };

  const receive = (worker: Worker, message: ProcessMessage) => {
    if (message.kind === 'metrics-told') {
      rounds.get(message.asked)?.tell(worker, slots.get(worker) ?? 0, message.families);
    } else if (message.kind === 'metrics-wanted') {
      const round = ++lastRound;
      const done = (families: MetricsRound['families']) => {
        rounds.delete(round);
        if (worker.isConnected())
          worker.send({ kind: 'metrics', asked: message.asked, families } satisfies ProcessMessage);
      };
      rounds.set(round, new MetricsRound([...slots.keys()], done));
      for (const one of slots.keys())
        one.send({ kind: 'metrics-ask', asked: round } satisfies ProcessMessage);
    }
  };

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopping = true;
      for (const worker of slots.keys()) worker.process.kill(signal);
    });
  }
  for (let slot = 1; slot <= config.processes; slot++) start(slot);
}
