// Strict decisions with several limits per request; one redis-server, one client process.
// Usage: pnpm bench -- --only limits [--rounds 5] [--ms 500]
import { reportGoal } from '@tollgate/test-kit/bench-goals';
import { benchOptions, interleaved, median } from './measure.ts';
import { StoreBench } from './store-bench.ts';
import { printTable, thousands } from './table.ts';

const COUNTS = [1, 3, 8];
const GOALS = { gcra: 'limits-gcra', fixed_window: 'limits-fixed-window' } as const;

const options = benchOptions();
const bench = await StoreBench.open(100_000, options);
for (const rule of ['gcra', 'fixed_window'] as const) {
  const byCount = new Map(COUNTS.map((count) => [String(count), bench.decide(rule, count)]));
  for (const inFlight of [512, 1]) {
    const rounds = await interleaved(byCount, inFlight, options, bench.server.cpuUs);
    const all = (count: number) =>
      (rounds.get(String(count)) ?? []).map(({ opsPerSecond }) => 1e6 / opsPerSecond);
    const first = all(1);
    const more = (count: number) =>
      median(all(count).map((us, i) => (us / (first[i] ?? Number.NaN) - 1) / (count - 1))) * 100;
    printTable(
      `${inFlight} in flight, several limits of ${rule} per request`,
      ['limits', 'requests/s', 'µs per request', 'each further limit ÷ the first'],
      COUNTS.map((count) => {
        const us = median(all(count));
        return [
          String(count),
          thousands(1e6 / us),
          us.toFixed(2),
          count === 1 ? '' : `${more(count).toFixed(0)} %`,
        ];
      }),
    );
    if (inFlight === 512) reportGoal(GOALS[rule], more(3));
  }
}
await bench.close();
