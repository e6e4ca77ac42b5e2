// Envoy's door against empty answers of its two possible servers, interleaved; the generator is a process of its own.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { frameOf } from '#src/rls/grpc/framing.js';
import { loadRequest, RLS_PATH, rlsType } from './grpc-load-messages.ts';
import type { LoadOrder, LoadReport } from './h2-load.ts';

const KINDS = ['node:http2, empty', 'grpc-js, empty', 'tollgate', 'tollgate, leased'] as const;
const CONNECTIONS = 8;
/** Parts of what the door makes at best. */
const OVERLOADS = [1.2, 1.5, 2];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, ms: { type: 'string', default: '2000' } },
});
const rounds = Number(values.rounds);
const ms = Number(values.ms);

interface Contender {
  readonly kind: string;
  readonly process: ChildProcess;
  readonly port: number;
  readonly token: string;
}

interface Measured extends LoadReport {
  readonly perSecond: number;
  readonly cpuUs: number;
}

const generator = fork(join(import.meta.dirname, 'h2-load.ts'));
const type = rlsType('RateLimitRequest');
const messages = Array.from({ length: CONNECTIONS }, (_, i) =>
  frameOf(type.encode(type.fromObject(loadRequest(i))).finish()).toString('base64'),
);

const told = async <T>(child: ChildProcess, send?: object): Promise<T> => {
  const answer = once(child, 'message');
  if (send !== undefined) child.send(send);
  return (await answer)[0] as T;
};

async function start(kind: string): Promise<Contender> {
  const child = fork(join(import.meta.dirname, 'grpc-servers.ts'), [kind]);
  return { kind, process: child, ...(await told<{ port: number; token: string }>(child)) };
}

async function measure(
  { process: child, port, token }: Contender,
  load: LoadOrder['load'],
  mayFail = false,
): Promise<Measured> {
  const before = await told<{ cpuUs: number }>(child, {});
  const order: LoadOrder = { port, path: RLS_PATH, token, messages, ms, load };
  const report = await told<LoadReport>(generator, order);
  const after = await told<{ cpuUs: number }>(child, {});
  if (report.failures > 0 && !mayFail) throw new Error(`${report.failures} calls without an answer`);
  return {
    ...report,
    perSecond: report.answers / report.seconds,
    cpuUs: (after.cpuUs - before.cpuUs) / report.answers,
  };
}

const contenders: Contender[] = [];
for (const kind of KINDS) contenders.push(await start(kind));
// Nobody is measured cold: the first calls find no tenant at hand, and nothing is compiled.
for (const contender of contenders) await measure(contender, { inFlight: 8 }, true);

const best = new Map<string, number>();
for (const inFlight of [1, 64])
  await compare(
    `${inFlight} in flight on each of ${CONNECTIONS} connections`,
    () => ({ inFlight }),
    inFlight === 64,
  );
for (const part of [0.5, 0.9]) {
  const ofBest = (kind: string) => ({ perSecond: Math.floor((best.get(kind) ?? 0) * part) });
  await compare(`open loop at ${part * 100} % of what each makes`, ofBest, false);
}
await overload();
for (const { process: child } of contenders) child.disconnect();
generator.disconnect();

/** More than the door can answer: what it still answers, and how soon the rest hears that it is not. */
async function overload(): Promise<void> {
  const door = contenders.find(({ kind }) => kind === 'tollgate') as Contender;
  const peak = best.get('tollgate') ?? 0;
  console.log('\nmore than the door can answer, open loop, strict:\n');
  console.log('| offered | answered/s | of the peak | p50 / p99 | turned away/s | p50 / p99 of those |');
  console.log('|---|---|---|---|---|---|');
  for (const part of OVERLOADS) {
    const perSecond = Math.floor(peak * part);
    const all: Measured[] = [];
    for (let round = 0; round < rounds; round++) all.push(await measure(door, { perSecond }, true));
    const middle = (pick: (one: Measured) => number | null) =>
      median(all.map((one) => pick(one) ?? Number.NaN));
    const ms = (one: number) => (Number.isNaN(one) ? '–' : `${one.toFixed(1)} ms`);
    const cells = [
      `${part * 100} %: ${perSecond.toLocaleString('en-US')}/s`,
      Math.round(middle((one) => one.perSecond)).toLocaleString('en-US'),
      (middle((one) => one.perSecond) / peak).toFixed(2),
      `${ms(middle((one) => one.p50Ms))} / ${ms(middle((one) => one.p99Ms))}`,
      Math.round(middle((one) => one.failures / one.seconds)).toLocaleString('en-US'),
      `${ms(middle((one) => one.failedP50Ms))} / ${ms(middle((one) => one.failedP99Ms))}`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

async function compare(
  title: string,
  loadOf: (kind: string) => LoadOrder['load'],
  isBest: boolean,
): Promise<void> {
  const measured = new Map<string, Measured[]>(KINDS.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      measured.get(contender.kind)?.push(await measure(contender, loadOf(contender.kind)));
    }
  }
  console.log(`\n${title}:\n`);
  console.log('| | calls/s | server CPU | p50 | p99 | p99.9 | of the better empty one | by CPU |');
  console.log('|---|---|---|---|---|---|---|---|');
  const rates = KINDS.map((kind) => (measured.get(kind) ?? []).map(({ perSecond }) => perSecond));
  const leastCpuUs = (round: number) =>
    Math.min(...KINDS.slice(0, 2).map((kind) => measured.get(kind)?.[round]?.cpuUs ?? Number.NaN));
  for (const [i, kind] of KINDS.entries()) {
    const all = measured.get(kind) ?? [];
    const middle = (pick: (one: Measured) => number | null) =>
      median(all.map((one) => pick(one) ?? Number.NaN));
    const ratios = (rates[i] ?? []).map((rate, r) => rate / Math.max(rates[0]?.[r] ?? 0, rates[1]?.[r] ?? 0));
    if (isBest)
      best.set(
        kind,
        middle((one) => one.perSecond),
      );
    const cells = [
      kind,
      Math.round(middle((one) => one.perSecond)).toLocaleString('en-US'),
      `${middle((one) => one.cpuUs).toFixed(1)} µs`,
      ...[middle((one) => one.p50Ms), middle((one) => one.p99Ms), middle((one) => one.p999Ms)].map(
        (wait) => `${wait.toFixed(2)} ms`,
      ),
      `${median(ratios).toFixed(2)} ×`,
      `${median(all.map(({ cpuUs }, r) => leastCpuUs(r) / cpuUs)).toFixed(2)} ×`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
