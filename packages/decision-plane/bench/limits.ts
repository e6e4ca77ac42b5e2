// Strict decisions with several limits per request; one redis-server, one client process.
// Usage: pnpm bench -- --only limits [--rounds 5] [--ms 500]
import { reportGoal } from '@tollgate/test-kit/bench-goals';
import { benchOptions, interleaved, median, medianRound, type Round } from './measure.ts';
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
    const all = (count: number) => rounds.get(String(count)) ?? [];
    // Redis is the bottleneck, and its CPU time excludes other load on the machine.
    const more = (count: number) =>
      median(all(count).map((round, i) => furtherLimit(round, all(1)[i] as Round, count))) * 100;
    printTable(
      `${inFlight} in flight, several limits of ${rule} per request`,
      ['limits', 'requests/s', 'client CPU', 'server CPU', 'each further limit ÷ the first, server CPU'],
      COUNTS.map((count) => {
        const round = medianRound(all(count));
        return [
          String(count),
          thousands(round.opsPerSecond),
          `${median(all(count).map(({ cpuUsPerOp }) => cpuUsPerOp)).toFixed(2)} µs`,
          `${median(all(count).map(({ serverUsPerOp }) => serverUsPerOp)).toFixed(2)} µs`,
          count === 1 ? '' : `${more(count).toFixed(0)} %`,
        ];
      }),
    );
    if (inFlight === 512) reportGoal(GOALS[rule], more(3));
  }
}
await bench.close();

/** Share of the first limit's CPU that each further limit of a request costs. */
function furtherLimit(round: Round, first: Round, limits: number): number {
  return (round.serverUsPerOp / first.serverUsPerOp - 1) / (limits - 1);
}
