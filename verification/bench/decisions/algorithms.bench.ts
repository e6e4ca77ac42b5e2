// Strict decisions by each algorithm; one redis-server, one client process.
// Usage: pnpm bench algorithms [--rounds 5] [--ms 500]

import { benchOptions, interleaved } from '../measure.ts';
import { printRounds } from '../table.ts';
import { RULES } from './fixtures.ts';
import { StoreBench } from './store-bench.ts';

const options = benchOptions();
const bench = await StoreBench.open(100_000, options);
const algorithms = new Map(Object.keys(RULES).map((rule) => [rule, bench.decide(rule)]));
printRounds(
  '512 in flight, each algorithm',
  await interleaved(algorithms, 512, options, bench.server.cpuUs),
  'gcra',
);
await bench.close();
