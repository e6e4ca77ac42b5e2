import { reportGoal } from '../goals.ts';
import type { Commanded, Contender } from './http/contenders.ts';
import { BATCH, Field } from './http/field.ts';
import { closedLoop, type Load, openLoop } from './http/loads.ts';
import { percentiles, table, thousands } from './http/table.ts';

export interface HttpBenchOptions {
  rounds: number;
  ms: number;
}

/** Low limit of concurrent requests, exceeded by the generator's 512 connections. */
const FEW_IN_FLIGHT = 128;

/** Callers of batches: more would mostly wait for each other. */
const BATCH_CALLERS = 8;

/** `POST /v1/limit` and batches against a bare server, by throughput, CPU, latency under load and overload. */
export async function benchHttp({ rounds, ms }: HttpBenchOptions): Promise<void> {
  const field = await Field.open();
  try {
    const cpuUs: number[] = [];
    for (const processes of [1, 2]) {
      const target = await field.decisionApi(processes);
      const peaks = await singles(field, target, processes, rounds, ms);
      cpuUs.push(peakOf(peaks, STRICT).cpuUs);
      const batchPeaks = await batches(field, target, processes, rounds, ms);
      if (processes === 2) continue;
      reportGoal('http-cpu', peakOf(peaks, STRICT).cpuUs);
      reportGoal('http-batch', peakOf(batchPeaks, STRICT).perSecond * BATCH);
      const own = { name: STRICT, request: field.single('strict'), ...target };
      await latencies([own], peaks, [50, 90], ms);
      const small = await field.decisionApi(1, { MAX_IN_FLIGHT: String(FEW_IN_FLIGHT) });
      await closedLoop({ ...own, ...small }, ms);
      await latencies([{ ...own, ...small }], peaks, [120, 200], ms, `, at most ${FEW_IN_FLIGHT} in flight`);
    }
    const [one = Number.NaN, two = Number.NaN] = cpuUs;
    reportGoal('http-processes', one / two);
  } finally {
    await field.close();
  }
}

const STRICT = 'tollgate, strict (one Redis call each)';
const LEASED = 'tollgate, leased (decided in the process)';

async function singles(field: Field, target: Commanded, processes: number, rounds: number, ms: number) {
  const single = field.single('strict');
  const bare = await field.bare(processes, target, single);
  const contenders: Contender[] = [
    { name: 'bare node:http', request: single, ...bare },
    { name: STRICT, request: single, redisPid: field.redisPid, ...target },
    { name: LEASED, request: field.single('leased'), redisPid: field.redisPid, ...target },
    ...(processes === 1 ? await field.references(target, single) : []),
  ];
  return await throughput(`POST /v1/limit, ${processes} process(es)`, contenders, rounds, ms, 1);
}

async function batches(field: Field, target: Commanded, processes: number, rounds: number, ms: number) {
  const batch = field.batch('strict');
  const common = { request: batch, connections: BATCH_CALLERS };
  const bare = await field.bare(processes, target, batch);
  const contenders: Contender[] = [
    { name: 'bare node:http', ...common, ...bare },
    { name: STRICT, ...common, redisPid: field.redisPid, ...target },
    { name: LEASED, ...common, request: field.batch('leased'), redisPid: field.redisPid, ...target },
  ];
  return await throughput(
    `POST /v1/limit/batch of ${BATCH}, ${processes} process(es)`,
    contenders,
    rounds,
    ms,
    BATCH,
  );
}

/** Medians of a contender. */
interface Peak {
  readonly perSecond: number;
  /** CPU of the server per request, microseconds. */
  readonly cpuUs: number;
}

function peakOf(peaks: ReadonlyMap<string, Peak>, name: string): Peak {
  const peak = peaks.get(name);
  if (peak === undefined) throw new Error(`${name} was not measured`);
  return peak;
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
  table(
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
      const load = middle(loads, ({ perSecond }) => perSecond);
      return [
        name,
        thousands(load.perSecond),
        thousands(load.perSecond * decisions),
        `${(middleOf(loads, ({ cpuUs }) => cpuUs) / decisions).toFixed(2)} µs`,
        `${(middleOf(loads, ({ redisUs }) => redisUs) / decisions).toFixed(2)} µs`,
        ...percentiles(load, 50, 99),
        ratio(loads.map(({ perSecond }, i) => perSecond / (base[i]?.perSecond ?? Number.NaN))),
        ratio(loads.map(({ cpuUs }, i) => (base[i]?.cpuUs ?? Number.NaN) / cpuUs)),
      ];
    }),
  );
  return new Map(
    [...measured].map(([name, loads]) => [
      name,
      {
        perSecond: middleOf(loads, ({ perSecond }) => perSecond),
        cpuUs: middleOf(loads, ({ cpuUs }) => cpuUs),
      },
    ]),
  );
}

/** At fractions and multiples of the peak throughput. */
async function latencies(
  contenders: readonly Contender[],
  peaks: ReadonlyMap<string, Peak>,
  percents: readonly number[],
  ms: number,
  remark = '',
): Promise<void> {
  const rows: string[][] = [];
  for (const percent of percents) {
    for (const contender of contenders) {
      const peak = peakOf(peaks, contender.name).perSecond;
      const load = await openLoop(contender, (peak * percent) / 100, ms);
      const shed =
        load.othersLatency.totalCount === 0
          ? ''
          : percentiles({ latency: load.othersLatency }, 50, 99).join(' / ');
      rows.push([
        `${contender.name}, ${percent} %`,
        `${thousands(load.perSecond)} (${(load.perSecond / peak).toFixed(2)} × peak)`,
        ...percentiles(load, 50, 99, 99.9),
        thousands(load.othersPerSecond),
        shed,
      ]);
    }
  }
  const columns = ['', 'answered/s', 'p50', 'p99', 'p99.9', 'shed/s', 'p50 / p99 of those, from being sent'];
  table(`Open loop, from when each request was due; parts of the throughput above${remark}`, columns, rows);
}

function ratio(values: readonly number[]): string {
  return `${middle(values, (value) => value).toFixed(2)} ×`;
}

function middleOf<T>(values: readonly T[], size: (value: T) => number): number {
  return size(middle(values, size));
}

function middle<T>(values: readonly T[], size: (value: T) => number): T {
  return [...values].sort((a, b) => size(a) - size(b))[Math.floor(values.length / 2)] as T;
}
