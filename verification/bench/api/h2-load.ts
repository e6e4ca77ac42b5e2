// The load generator process: loads a server on request and reports results.
import { setTimeout as pause } from 'node:timers/promises';
import { H2Connection } from './h2-connection.ts';

export interface LoadOrder {
  /** Ports of the server's processes, used in turn. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly token: string;
  /** One for each connection, in base64, framed. */
  readonly messages: readonly string[];
  readonly ms: number;
  readonly load: Load;
}

/** Calls in flight per connection, or calls per second in total (open loop). */
export type Load = { readonly inFlight: number } | OpenLoop;

export interface OpenLoop {
  readonly perSecond: number;
  /** Further calls fail at the caller, as by Envoy's circuit breaker `max_requests`. Default: they wait. */
  readonly maxRequests?: number;
}

export interface LoadReport {
  readonly answers: number;
  /** Calls that ended without a message: shed. */
  readonly failures: number;
  /** Calls above `maxRequests`. */
  readonly rejections: number;
  /** Null: no failures. */
  readonly failedP50Ms: number | null;
  readonly failedP99Ms: number | null;
  readonly seconds: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly p999Ms: number | null;
}

const MAX_SAMPLES = 2_000_000;

/** Waits: those of calls that began since the warm-up ended. */
class Waits {
  readonly all = new Float64Array(MAX_SAMPLES);
  count = 0;

  note(ms: number): void {
    if (this.count < MAX_SAMPLES) this.all[this.count++] = ms;
  }

  /** JSON has no NaN: null, when nothing was noted. */
  at(part: number): number | null {
    if (this.count === 0) return null;
    const sorted = this.all.subarray(0, this.count).sort();
    return sorted[Math.min(this.count - 1, Math.floor(part * this.count))] ?? null;
  }
}

async function run({ ports, path, token, messages, ms, load }: LoadOrder): Promise<LoadReport> {
  const waits = new Waits();
  const failedWaits = new Waits();
  let isOver = false;
  let rejections = 0;
  const connections = messages.map((message, i) => {
    const port = ports[i % ports.length] as number;
    return new H2Connection(port, path, token, Buffer.from(message, 'base64'), (dueMs, isAnswered) => {
      (isAnswered ? waits : failedWaits).note(performance.now() - dueMs);
      if ('inFlight' in load && !isOver) begin(i, performance.now());
    });
  });
  const begin = (i: number, dueMs: number) => (connections[i] as H2Connection).call(dueMs);
  const fromMs = performance.now();
  if ('inFlight' in load) {
    for (let i = 0; i < connections.length * load.inFlight; i++)
      begin(i % connections.length, performance.now());
    for (const connection of connections) connection.flush();
    await pause(ms);
  } else {
    const { maxRequests = Number.POSITIVE_INFINITY } = load;
    const inFlight = () => connections.reduce((sum, { unanswered }) => sum + unanswered, 0);
    // Scheduled by the clock, so that the wait caused by a slow server is measured.
    for (let due = 0; performance.now() - fromMs < ms; ) {
      const elapsedMs = performance.now() - fromMs;
      let free = maxRequests - inFlight();
      for (; due < (elapsedMs * load.perSecond) / 1000; due++) {
        if (--free < 0) rejections++;
        else begin(due % connections.length, fromMs + (due * 1000) / load.perSecond);
      }
      for (const connection of connections) connection.flush();
      await pause(1);
    }
  }
  isOver = true;
  const seconds = (performance.now() - fromMs) / 1000;
  const [answers, failures] = [waits.count, failedWaits.count];
  const deadlineMs = performance.now() + 2000;
  while (connections.some(({ unanswered }) => unanswered > 0) && performance.now() < deadlineMs)
    await pause(5);
  for (const connection of connections) connection.close();
  return {
    answers,
    failures,
    rejections,
    failedP50Ms: failedWaits.at(0.5),
    failedP99Ms: failedWaits.at(0.99),
    seconds,
    p50Ms: waits.at(0.5),
    p99Ms: waits.at(0.99),
    p999Ms: waits.at(0.999),
  };
}

process.on('message', (order: LoadOrder) => {
  void run(order).then((report) => process.send?.(report));
});
