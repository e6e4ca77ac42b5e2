import { median } from '../../measure.ts';
import { printTable, thousands, times } from '../../table.ts';
import type { Contender } from './contenders.ts';
import { closedLoop, type Load, percentiles } from './loads.ts';

/** Medians of a contender. */
export interface Peak {
  readonly perSecond: number;
  /** CPU of the server per request, microseconds. */
  readonly cpuUs: number;
}

/** @returns the peaks of each */
export async function throughput(
  title: string,
  contenders: readonly Contender[],
  rounds: number,
  ms: number,
  /** In each request. */
  decisions: number,
): Promise<Map<string, Peak>> {
  const measured = new Map<string, Load[]>(contenders.map(({ name }) => [name, []]));
  // Warm-up.
  for (const contender of contenders) await closedLoop(contender, ms);
  for (let i = 0; i < rounds; i++) {
    for (const contender of contenders) measured.get(contender.name)?.push(await closedLoop(contender, ms));
  }
  const [base = []] = measured.values();
  printTable(
    title,
    [
      '',
      'requests/s',
      'decisions/s',
      'server CPU per decision',
      'Redis CPU per decision',
      'p50',
      'p99',
      'of the first',
      'of the first, by CPU',
    ],
    [...measured].map(([name, loads]) => {
      const load = medianLoad(loads);
      return [
        name,
        thousands(load.perSecond),
        thousands(load.perSecond * decisions),
        `${(median(loads.map(({ cpuUs }) => cpuUs)) / decisions).toFixed(2)} µs`,
        `${(median(loads.map(({ redisUs }) => redisUs)) / decisions).toFixed(2)} µs`,
        ...percentiles(load, 50, 99),
        times(median(loads.map(({ perSecond }, i) => perSecond / (base[i]?.perSecond ?? Number.NaN)))),
        times(median(loads.map(({ cpuUs }, i) => (base[i]?.cpuUs ?? Number.NaN) / cpuUs))),
      ];
    }),
  );
  return new Map(
    [...measured].map(([name, loads]) => [
      name,
      {
        perSecond: median(loads.map(({ perSecond }) => perSecond)),
        cpuUs: median(loads.map(({ cpuUs }) => cpuUs)),
      },
    ]),
  );
}

/** The load whose throughput is the median. */
function medianLoad(loads: readonly Load[]): Load {
  const sorted = [...loads].sort((a, b) => a.perSecond - b.perSecond);
  return sorted[Math.floor(loads.length / 2)] as Load;
}
