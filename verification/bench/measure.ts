import os from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { build } from 'hdr-histogram-js';

/** Duration of a benchmark. */
export interface BenchOptions {
  /** Rounds of each contender, interleaved; the median is reported. */
  rounds: number;
  /** Milliseconds per round. */
  ms: number;
}

/** The default. */
export const ROUNDS: BenchOptions = { rounds: 5, ms: 500 };

/** Options of {@link readOptions} for all benchmarks, so that one command line suits several of them. */
const COMMON = ['rounds', 'ms', 'out'];

export function benchOptions(): BenchOptions {
  return readOptions({ ...ROUNDS });
}

/** Options of the command line (`--tenants 1000`) with their defaults; numbers where the default is one. @throws Error for others */
export function readOptions<T extends Record<string, number | string>>(defaults: T): T {
  const names = [...COMMON, ...Object.keys(defaults)];
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  });
  return Object.fromEntries(
    Object.entries(defaults).map(([name, preset]) => {
      const given = values[name] ?? preset;
      const value = typeof preset === 'number' ? Number(given) : given;
      if (Number.isNaN(value)) throw new Error(`--${name} ${given} is not a number`);
      return [name, value];
    }),
  ) as T;
}

/** Machine and load at the start, for the heading of a table. */
export function whereMeasured(): string {
  const cpus = os.cpus();
  const load = os.loadavg()[0]?.toFixed(2);
  return `${cpus[0]?.model ?? 'unknown CPU'} × ${cpus.length}, Node ${process.version}, load ${load}`;
}

/** One measured round: `inFlight` callers, each of which sends its next request when it gets a reply. */
export interface Round {
  opsPerSecond: number;
  /** CPU time of this process (user and system) per operation, microseconds. */
  cpuUsPerOp: number;
  /** CPU time of the servers per operation, microseconds; least affected by other load on the machine. */
  serverUsPerOp: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Runs `operation` in a closed loop for `durationMs`, after a warm-up of a tenth of that.
 *
 * @param operation is called with an increasing number
 * @param serverCpuUs CPU time of the servers so far
 */
export async function closedLoop(
  operation: (n: number) => Promise<unknown>,
  inFlight: number,
  durationMs: number,
  serverCpuUs: () => Promise<number>,
): Promise<Round> {
  await run(operation, inFlight, durationMs / 10, () => undefined);
  const latencies = build({ lowestDiscernibleValue: 1, highestTrackableValue: 60_000_000 });
  const serverBeforeUs = await serverCpuUs();
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  let done = 0;
  await run(operation, inFlight, durationMs, (elapsedMs) => {
    done++;
    latencies.recordValue(Math.max(1, Math.round(elapsedMs * 1000)));
  });
  const elapsedS = (performance.now() - startMs) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  return {
    opsPerSecond: done / elapsedS,
    cpuUsPerOp: (cpu.user + cpu.system) / done,
    serverUsPerOp: ((await serverCpuUs()) - serverBeforeUs) / done,
    p50Ms: latencies.getValueAtPercentile(50) / 1000,
    p99Ms: latencies.getValueAtPercentile(99) / 1000,
  };
}

let calls = 0;

async function run(
  operation: (n: number) => Promise<unknown>,
  inFlight: number,
  durationMs: number,
  onDone: (elapsedMs: number) => void,
): Promise<void> {
  const endMs = performance.now() + durationMs;
  const caller = async () => {
    let startMs = performance.now();
    while (startMs < endMs) {
      await operation(calls++);
      const nowMs = performance.now();
      onDone(nowMs - startMs);
      startMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
}

/** The round whose throughput is the median. */
export function medianRound(rounds: readonly Round[]): Round {
  const sorted = [...rounds].sort((a, b) => a.opsPerSecond - b.opsPerSecond);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('no rounds');
  return middle;
}

/** The median. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Measures contenders in turns, so that other load on the machine affects all of them. @returns the rounds of each */
export async function interleaved(
  contenders: ReadonlyMap<string, () => Promise<unknown>>,
  inFlight: number,
  { rounds, ms }: BenchOptions,
  serverCpuUs: () => Promise<number>,
): Promise<Map<string, Round[]>> {
  const measured = new Map<string, Round[]>([...contenders.keys()].map((name) => [name, []]));
  for (let i = 0; i < rounds; i++) {
    for (const [name, operation] of contenders) {
      measured.get(name)?.push(await closedLoop(operation, inFlight, ms, serverCpuUs));
    }
  }
  return measured;
}

setFlagsFromString('--expose-gc');
const collectNow = runInNewContext('gc') as () => void;

/** Collects the garbage of a preparation, so that the measured operations do not pay for it. */
export function collectGarbage(): void {
  collectNow();
}

/** Operations between two turns of the event loop, in which leases are renewed. */
const CHUNK = 2_000;

/**
 * Runs an operation as often as possible on one core for `ms`, after a warm-up of a fifth of that. @returns operations
 * per second of CPU time
 */
export async function spin(operation: (n: number) => unknown, ms: number): Promise<number> {
  await spinFor(operation, ms / 5);
  return spinFor(operation, ms);
}

async function spinFor(operation: (n: number) => unknown, ms: number): Promise<number> {
  const endMs = performance.now() + ms;
  const before = process.cpuUsage();
  let done = 0;
  while (performance.now() < endMs) {
    for (let i = 0; i < CHUNK; i++) {
      const result = operation(done++);
      if (result instanceof Promise) await result;
    }
    await turn();
  }
  // CPU time excludes other load on the machine.
  const { user, system } = process.cpuUsage(before);
  return (done * 1e6) / (user + system);
}
