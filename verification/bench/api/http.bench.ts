// `POST /v1/limit` and batches against a bare server: throughput, CPU, latency under load and overload.
// Usage: pnpm bench http [--rounds 5] [--ms 500]
import { reportGoal } from '../goals.ts';
import { benchOptions } from '../measure.ts';
import { printTable, thousands, times } from '../table.ts';
import type { Commanded, Contender } from './http/contenders.ts';
import { BATCH, Field } from './http/field.ts';
import { closedLoop, openLoop, percentiles } from './http/loads.ts';
import { type Peak, throughput } from './http/throughput.ts';

/** Low limit of concurrent requests, exceeded by the generator's 512 connections. */
const FEW_IN_FLIGHT = 128;

/** Callers of batches: more would mostly wait for each other. */
const BATCH_CALLERS = 8;

const BARE = 'bare node:http';
const STRICT = 'tollgate, strict (one Redis call each)';
const LEASED = 'tollgate, leased (decided in the process)';

const { rounds, ms } = benchOptions();
const field = await Field.open();
try {
  const cpuUs: number[] = [];
  for (const processes of [1, 2]) {
    const target = await field.decisionApi(processes);
    const peaks = await singles(field, target, processes, rounds, ms);
    cpuUs.push(peakOf(peaks, STRICT).cpuUs);
    const batchPeaks = await batches(field, target, processes, rounds, ms);
    if (processes === 2) continue;
    const bareUs = peakOf(peaks, BARE).cpuUs;
    reportGoal('http-strict', peakOf(peaks, STRICT).cpuUs / bareUs);
    reportGoal('http-leased', peakOf(peaks, LEASED).cpuUs / bareUs);
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

async function singles(field: Field, target: Commanded, processes: number, rounds: number, ms: number) {
  const single = field.single('strict');
  const bare = await field.bare(processes, target, single);
  const contenders: Contender[] = [
    { name: BARE, request: single, ...bare },
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
    { name: BARE, ...common, ...bare },
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

function peakOf(peaks: ReadonlyMap<string, Peak>, name: string): Peak {
  const peak = peaks.get(name);
  if (peak === undefined) throw new Error(`${name} was not measured`);
  return peak;
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
        `${thousands(load.perSecond)} (${times(load.perSecond / peak)} peak)`,
        ...percentiles(load, 50, 99, 99.9),
        thousands(load.othersPerSecond),
        shed,
      ]);
    }
  }
  const columns = ['', 'answered/s', 'p50', 'p99', 'p99.9', 'shed/s', 'p50 / p99 of those, from being sent'];
  printTable(
    `Open loop, from when each request was due; parts of the throughput above${remark}`,
    columns,
    rows,
  );
}
