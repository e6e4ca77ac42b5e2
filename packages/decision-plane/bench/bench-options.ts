import { parseArgs } from 'node:util';

/** How long a bench measures. */
export interface BenchOptions {
  /** Rounds of each contender, interleaved; the median counts. */
  rounds: number;
  /** Milliseconds of a round. */
  ms: number;
}

/** From the command line: `--rounds 5 --ms 2000`. */
export function benchOptions(): BenchOptions {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
    options: { rounds: { type: 'string', default: '3' }, ms: { type: 'string', default: '1000' } },
  });
  return { rounds: Number(values.rounds), ms: Number(values.ms) };
}
