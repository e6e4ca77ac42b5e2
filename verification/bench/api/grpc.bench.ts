// The gRPC server beside empty handlers on two other HTTP/2 servers, interleaved; the load generator is a separate
// process.
// Usage: pnpm bench grpc [--rounds 5] [--ms 500]
import { reportGoal, skipGoal } from '../goals.ts';
import { benchOptions, median } from '../measure.ts';
import { printTable, thousands, times } from '../table.ts';
import { CONNECTIONS, Contender, Generator, type Measured } from './grpc/contender.ts';
import type { Load } from './h2-load.ts';

const BARE = 'node:http2, empty';
const EMPTY = [BARE, 'grpc-js, empty'];
const TOLLGATE = 'tollgate';
const KINDS = [...EMPTY, TOLLGATE, 'tollgate, leased'];
/** Multiples of the peak throughput. */
const OVERLOADS = [1.2, 1.5, 2];
/** Calls of the callers together, as in examples/envoy/envoy.yaml. */
const MAX_REQUESTS = 256;
const FULL = 64;

const { rounds, ms } = benchOptions();
const generator = new Generator();

// It is written in Go and comes as a container image.
for (const id of ['grpc-throughput', 'grpc-p99'] as const)
  skipGoal(id, 'envoyproxy/ratelimit is not installed');

for (const processes of [1, 2]) {
  const contenders: Contender[] = [];
  for (const kind of KINDS) contenders.push(await Contender.start(kind, processes));
  // Warm-up: the first calls load tenants and compile code.
  for (const contender of contenders) await contender.measure(generator, { inFlight: 8 }, ms, true);
  const title = `${FULL} in flight on each of ${CONNECTIONS} connections, ${processes} process(es)`;
  const best = await compare(title, contenders, () => ({ inFlight: FULL }));
  if (processes === 1) {
    reportGoal('grpc-cpu', (best.get(TOLLGATE)?.cpuUs ?? Number.NaN) / (best.get(BARE)?.cpuUs ?? Number.NaN));
    await compare(`one in flight on each of ${CONNECTIONS} connections`, contenders, () => ({ inFlight: 1 }));
    for (const part of [0.5, 0.9]) {
      const load = (kind: string) => ({ perSecond: Math.floor((best.get(kind)?.perSecond ?? 0) * part) });
      await compare(`open loop at ${part * 100} % of each peak`, contenders, load);
    }
    const target = contenders.find(({ kind }) => kind === TOLLGATE);
    if (target !== undefined) await overload(target, best.get(TOLLGATE)?.perSecond ?? 0);
  }
  for (const contender of contenders) contender.stop();
}
generator.stop();

/** @returns the median throughput and CPU of each */
async function compare(
  title: string,
  contenders: readonly Contender[],
  loadOf: (kind: string) => Load,
): Promise<Map<string, Pick<Measured, 'perSecond' | 'cpuUs'>>> {
  const measured = new Map<string, Measured[]>(contenders.map(({ kind }) => [kind, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const load = loadOf(contender.kind);
      measured.get(contender.kind)?.push(await contender.measure(generator, load, ms, 'perSecond' in load));
    }
  }
  const best = (round: number, pick: (one: Measured) => number, choose: (...of: number[]) => number) =>
    choose(...EMPTY.map((kind) => pick(measured.get(kind)?.[round] as Measured)));
  printTable(
    title,
    ['', 'calls/s', 'server CPU', 'p50 / p99 / p99.9', 'shed/s', 'of the better empty one', 'by CPU'],
    [...measured].map(([kind, all]) => [
      kind,
      thousands(medianOf(all, ({ perSecond }) => perSecond)),
      `${medianOf(all, ({ cpuUs }) => cpuUs).toFixed(1)} µs`,
      waits(all, ({ p50Ms, p99Ms, p999Ms }) => [p50Ms, p99Ms, p999Ms]),
      thousands(medianOf(all, ({ failedPerSecond }) => failedPerSecond)),
      times(median(all.map(({ perSecond }, i) => perSecond / best(i, (one) => one.perSecond, Math.max)))),
      times(median(all.map(({ cpuUs }, i) => best(i, (one) => one.cpuUs, Math.min) / cpuUs))),
    ]),
  );
  return new Map(
    [...measured].map(([kind, all]) => [
      kind,
      { perSecond: medianOf(all, ({ perSecond }) => perSecond), cpuUs: medianOf(all, ({ cpuUs }) => cpuUs) },
    ]),
  );
}

/** Measures answered and shed calls above the peak throughput, without and with a circuit breaker of the callers. */
async function overload(target: Contender, peak: number): Promise<void> {
  const rows: string[][] = [];
  for (const part of OVERLOADS) {
    for (const limit of [{}, { maxRequests: MAX_REQUESTS }]) {
      const perSecond = Math.floor(peak * part);
      const all: Measured[] = [];
      for (let i = 0; i < rounds; i++) {
        all.push(await target.measure(generator, { perSecond, ...limit }, ms, true));
      }
      const answered = medianOf(all, (one) => one.perSecond);
      rows.push([
        `${part * 100} %: ${thousands(perSecond)}/s`,
        limit.maxRequests?.toString() ?? 'no limit',
        thousands(answered),
        (answered / peak).toFixed(2),
        waits(all, ({ p50Ms, p99Ms }) => [p50Ms, p99Ms]),
        thousands(medianOf(all, ({ failedPerSecond }) => failedPerSecond)),
        waits(all, ({ failedP50Ms, failedP99Ms }) => [failedP50Ms, failedP99Ms]),
        thousands(medianOf(all, ({ rejections, seconds }) => rejections / seconds)),
      ]);
    }
  }
  printTable(
    `above peak throughput, open loop, ${target.kind}`,
    [
      'offered',
      'in flight at most',
      'answered/s',
      'of the peak',
      'p50 / p99',
      'shed/s',
      'p50 / p99 of shed',
      'rejected by the caller/s',
    ],
    rows,
  );
}

/** The median of each wait. */
function waits(all: readonly Measured[], pick: (one: Measured) => (number | null)[]): string {
  const places = pick(all[0] as Measured).keys();
  const medians = [...places].map((i) => medianOf(all, (one) => pick(one)[i] ?? Number.NaN));
  return medians.some(Number.isNaN) ? '' : `${medians.map((one) => one.toFixed(1)).join(' / ')} ms`;
}

function medianOf(all: readonly Measured[], pick: (one: Measured) => number): number {
  return median(all.map(pick));
}
