import { setTimeout as pause } from 'node:timers/promises';
import type { Contender } from './contenders.ts';
import { BATCH, Field } from './field.ts';
import { closedLoop, type Load, openLoop } from './loads.ts';
import { rssMbOf } from './process-figures.ts';

export interface HttpBenchOptions {
  rounds: number;
  ms: number;
  memoryMinutes: number;
}

/** `POST /v1/limit` and batches against a bare server, by throughput, CPU, latency under load, overload and memory. */
export async function benchHttp({ rounds, ms, memoryMinutes }: HttpBenchOptions): Promise<void> {
  const field = await Field.open();
  try {
    for (const processes of [1, 2]) {
      const door = await field.decisionApi(processes);
      const single = field.single('strict');
      const bare = await field.bare(processes, door, single);
      const contenders: Contender[] = [
        { name: 'bare node:http', request: single, ...bare },
        { name: 'tollgate, strict', request: single, ...door },
        { name: 'tollgate, leased', request: field.single('leased'), ...door },
        ...(processes === 1 ? await field.references(door, single) : []),
      ];
      const peaks = await throughput(`POST /v1/limit, ${processes} process(es)`, contenders, rounds, ms, 1);
      const batch = field.batch('strict');
      const bareBatch = await field.bare(processes, door, batch);
      await throughput(
        `POST /v1/limit/batch of ${BATCH}, ${processes} process(es)`,
        [
          { name: 'bare node:http', request: batch, ...bareBatch },
          { name: 'tollgate, strict', request: batch, ...door },
        ],
        rounds,
        ms,
        BATCH,
      );
      if (processes === 1) {
        const [ofBare, own] = contenders as [Contender, Contender];
        await latencies([ofBare, own], peaks, ms);
        await memory(own, (peaks.get(own.name) ?? 0) / 2, memoryMinutes);
      }
    }
  } finally {
    await field.close();
  }
}

/** @returns the median throughput of each */
async function throughput(
  title: string,
  contenders: readonly Contender[],
  rounds: number,
  ms: number,
  decisions: number,
): Promise<Map<string, number>> {
  const measured = new Map<string, Load[]>(contenders.map(({ name }) => [name, []]));
  for (let i = 0; i < rounds; i++) {
    for (const contender of contenders) measured.get(contender.name)?.push(await closedLoop(contender, ms));
  }
  const [base = []] = measured.values();
  table(
    title,
    ['', 'requests/s', 'decisions/s', 'server CPU', 'p50', 'p99', 'of bare', 'of bare, by CPU'],
    [...measured].map(([name, loads]) => {
      const load = middle(loads, ({ perSecond }) => perSecond);
      return [
        name,
        thousands(load.perSecond),
        thousands(load.perSecond * decisions),
        `${load.cpuUs.toFixed(1)} µs`,
        ...percentiles(load, 50, 99),
        ratio(loads.map(({ perSecond }, i) => perSecond / (base[i]?.perSecond ?? Number.NaN))),
        ratio(loads.map(({ cpuUs }, i) => (base[i]?.cpuUs ?? Number.NaN) / cpuUs)),
      ];
    }),
  );
  return new Map([...measured].map(([name, loads]) => [name, middle(loads, (l) => l.perSecond).perSecond]));
}

/** At parts of what each can do, and at three times that. */
async function latencies(
  contenders: readonly Contender[],
  peaks: ReadonlyMap<string, number>,
  ms: number,
): Promise<void> {
  const rows: string[][] = [];
  for (const percent of [50, 90, 300]) {
    for (const contender of contenders) {
      const peak = peaks.get(contender.name) ?? 0;
      const load = await openLoop(contender, (peak * percent) / 100, ms);
      const shed =
        load.othersLatency.totalCount === 0 ? '' : percentiles({ latency: load.othersLatency }, 99)[0];
      rows.push([
        `${contender.name}, ${percent} %`,
        `${thousands(load.perSecond)} (${(load.perSecond / peak).toFixed(2)} × peak)`,
        ...percentiles(load, 50, 99, 99.9),
        thousands(load.othersPerSecond),
        shed ?? '',
      ]);
    }
  }
  const columns = ['', 'answered/s', 'p50', 'p99', 'p99.9', 'turned away/s', 'p99 of those'];
  table('Open loop, from when each request was due; parts of the throughput above', columns, rows);
}

/** How memory grows once it is warm. */
async function memory(contender: Contender, perSecond: number, minutes: number): Promise<void> {
  const samples: number[] = [];
  let running = true;
  const load = openLoop(contender, perSecond, minutes * 60_000).finally(() => {
    running = false;
  });
  while (running) {
    samples.push(rssMbOf(contender.pids()));
    await Promise.race([load, pause(1000)]);
  }
  // The first third warms up.
  const warm = samples.slice(Math.floor(samples.length / 3));
  const slope = slopePerMinute(warm);
  console.log(
    `\nMemory at ${thousands(perSecond)}/s over ${minutes} min: ${warm[0]?.toFixed(0)} → ${warm.at(-1)?.toFixed(0)} MB, slope ${slope.toFixed(2)} MB/min`,
  );
}

/** Of samples a second apart, by least squares. */
function slopePerMinute(samples: readonly number[]): number {
  const n = samples.length;
  const meanX = (n - 1) / 2;
  const meanY = samples.reduce((sum, y) => sum + y, 0) / n;
  const top = samples.reduce((sum, y, x) => sum + (x - meanX) * (y - meanY), 0);
  const bottom = samples.reduce((sum, _, x) => sum + (x - meanX) ** 2, 0);
  return (top / bottom) * 60;
}

function percentiles({ latency }: Pick<Load, 'latency'>, ...parts: number[]): string[] {
  return parts.map((part) => `${(latency.getValueAtPercentile(part) / 1000).toFixed(2)} ms`);
}

function ratio(values: readonly number[]): string {
  return `${middle(values, (value) => value).toFixed(2)} ×`;
}

function middle<T>(values: readonly T[], size: (value: T) => number): T {
  return [...values].sort((a, b) => size(a) - size(b))[Math.floor(values.length / 2)] as T;
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function table(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n${title}\n\n| ${columns.join(' | ')} |\n|${columns.map(() => '---|').join('')}`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}
