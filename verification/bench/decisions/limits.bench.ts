// Strict decisions with several limits per request; one redis-server, one client process.
// Usage: pnpm bench limits [--rounds 5] [--ms 500]
import { reportGoal } from '../goals.ts';
import { benchOptions, interleaved, median, medianRound, type Round } from '../measure.ts';
import { printTable, thousands } from '../table.ts';
import { StoreBench } from './store-bench.ts';

/** Number of limits and where their counters are. */
const VARIANTS = [
  { count: 1, storage: 'key' },
  { count: 3, storage: 'key' },
  { count: 8, storage: 'key' },
  { count: 1, storage: 'subject' },
  { count: 3, storage: 'subject' },
  { count: 8, storage: 'subject' },
] as const;
const GOALS = { gcra: 'limits-gcra', fixed_window: 'limits-fixed-window' } as const;

const nameOf = ({ count, storage }: (typeof VARIANTS)[number]) => `${count} ${storage}`;

const options = benchOptions();
const bench = await StoreBench.open(100_000, options);
for (const rule of ['gcra', 'fixed_window'] as const) {
  const contenders = new Map(
    VARIANTS.map((variant) => [nameOf(variant), bench.decide(rule, variant.count, variant.storage)]),
  );
  for (const inFlight of [512, 1]) {
    const rounds = await interleaved(contenders, inFlight, options, bench.server.cpuUs);
    const all = (name: string) => rounds.get(name) ?? [];
    // Redis is the bottleneck, and its CPU time excludes other load on the machine.
    const more = (name: string, first: string, count: number) =>
      median(all(name).map((round, i) => furtherLimit(round, all(first)[i] as Round, count))) * 100;
    printTable(
      `${inFlight} in flight, several limits of ${rule} per request`,
      ['limits', 'counters', 'requests/s', 'client CPU', 'server CPU', 'each further limit ÷ the first'],
      VARIANTS.map((variant) => {
        const { count, storage } = variant;
        const name = nameOf(variant);
        return [
          String(count),
          storage === 'subject' ? 'one hash per subject' : 'a key each',
          thousands(medianRound(all(name)).opsPerSecond),
          `${median(all(name).map(({ cpuUsPerOp }) => cpuUsPerOp)).toFixed(2)} µs`,
          `${median(all(name).map(({ serverUsPerOp }) => serverUsPerOp)).toFixed(2)} µs`,
          count === 1 ? '' : `${more(name, `1 ${storage}`, count).toFixed(0)} %`,
        ];
      }),
    );
    if (inFlight === 512) reportGoal(GOALS[rule], more('3 subject', '1 subject', 3));
  }
}
await bench.close();

/** Share of the first limit's CPU that each further limit of a request costs. */
function furtherLimit(round: Round, first: Round, limits: number): number {
  return (round.serverUsPerOp / first.serverUsPerOp - 1) / (limits - 1);
}
