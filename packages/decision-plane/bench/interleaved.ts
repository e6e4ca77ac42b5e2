import type { BenchOptions } from './bench-options.ts';
import { closedLoop, type Round } from './closed-loop.ts';

/** Measures contenders in turns, so that what else the machine does meets all of them. @returns each one's rounds */
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
