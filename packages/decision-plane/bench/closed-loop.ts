import { build } from 'hdr-histogram-js';

/** One measured round: `inFlight` callers, each asking again as soon as it is answered. */
export interface Round {
  opsPerSecond: number;
  /** Microseconds of this process's CPU (user and system) per operation. */
  cpuUsPerOp: number;
  /** Microseconds of the servers' CPU per operation: what others do on the machine changes this least. */
  serverUsPerOp: number;
  p50Ms: number;
  p99Ms: number;
}

/**
 * Runs `operation` in a closed loop for `durationMs`, after a tenth of that to warm up.
 *
 * @param operation is given a number that grows by one with each call
 * @param serverCpuUs what the servers have used so far
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

/** The middle one, by size. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
