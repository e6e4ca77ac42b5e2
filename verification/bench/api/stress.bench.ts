// The HTTP API and the gRPC server at twice their peak throughput; exits with 1 if a goal is missed. The load generators
// share the machine, so a server that keeps its goodput leaves CPU to them.
// Usage: pnpm bench stress [--ms 3000] [--only http,grpc]

import { readOptions } from '../measure.ts';
import { Contender, Generator } from './grpc/contender.ts';
import { Field } from './http/field.ts';
import { closedLoop, openLoop } from './http/loads.ts';

const OVERLOAD = 2;
/** Load after the overload, which the server can handle with other load on the machine. */
const AFTERWARDS = 0.3;
const RECOVERY_MS = 1000;

/** Of the peak. */
const MIN_GOODPUT = 0.9;

/** Answered and shed calls of one load. */
interface Answered {
  readonly perSecond: number;
  readonly shedPerSecond: number;
  /** Undefined: none was shed. */
  readonly shedP99Ms: number | undefined;
}

interface Target {
  readonly name: string;
  /** As fast as it answers. */
  peak(): Promise<Answered>;
  offered(perSecond: number, ms: number): Promise<Answered>;
}

const { ms, only } = readOptions({ ms: 3000, only: 'http,grpc' });
let missed = 0;

if (only.includes('http')) await httpApi();
if (only.includes('grpc')) await grpcServer();
console.log(missed === 0 ? '\nall goals met' : `\n${missed} goals missed`);
process.exit(missed === 0 ? 0 : 1);

async function httpApi(): Promise<void> {
  const field = await Field.open();
  const target = await field.decisionApi(1, { MAX_IN_FLIGHT: '128' });
  const contender = { name: 'HTTP API', request: field.single('strict'), ...target };
  const answered = async (load: ReturnType<typeof openLoop>): Promise<Answered> => {
    const { perSecond, othersPerSecond: shedPerSecond, othersLatency } = await load;
    const shedP99Ms =
      othersLatency.totalCount === 0 ? undefined : othersLatency.getValueAtPercentile(99) / 1000;
    return { perSecond, shedPerSecond, shedP99Ms };
  };
  await stress({
    name: 'HTTP API',
    peak: () => answered(closedLoop(contender, ms)),
    offered: (perSecond, forMs) => answered(openLoop(contender, perSecond, forMs)),
  });
  await field.close();
}

async function grpcServer(): Promise<void> {
  const generator = new Generator();
  const contender = await Contender.start('tollgate, few in work');
  const answered = async (load: ReturnType<Contender['measure']>): Promise<Answered> => {
    const { perSecond, failedPerSecond: shedPerSecond, failedP99Ms } = await load;
    return { perSecond, shedPerSecond, shedP99Ms: failedP99Ms ?? undefined };
  };
  await stress({
    name: 'gRPC server',
    peak: () => answered(contender.measure(generator, { inFlight: 32 }, ms, true)),
    offered: (perSecond, forMs) => answered(contender.measure(generator, { perSecond }, forMs, true)),
  });
  contender.stop();
  generator.stop();
}

async function stress(target: Target): Promise<void> {
  // Warm-up.
  await target.peak();
  const peak = await target.peak();
  const over = await target.offered(Math.floor(peak.perSecond * OVERLOAD), ms);
  const afterwards = Math.floor(peak.perSecond * AFTERWARDS);
  const next = await target.offered(afterwards, RECOVERY_MS);
  const later = await target.offered(afterwards, RECOVERY_MS);
  const goodput = over.perSecond / peak.perSecond;
  console.log(`\n${target.name}: peak ${Math.round(peak.perSecond).toLocaleString('en-US')}/s`);
  goal(
    `goodput at ${OVERLOAD * 100} % load ≥ ${MIN_GOODPUT} of the peak`,
    goodput.toFixed(2),
    goodput >= MIN_GOODPUT,
  );
  const shed = over.shedP99Ms;
  console.log(`        shed answers at p99: ${shed === undefined ? 'none shed' : `${shed.toFixed(1)} ms`}`);
  goal(
    `no request shed from ${RECOVERY_MS / 1000} s after the overload`,
    `${Math.round(next.shedPerSecond)}/s, then ${Math.round(later.shedPerSecond)}/s`,
    later.shedPerSecond === 0,
  );
}

function goal(text: string, measured: string, isMet: boolean): void {
  if (!isMet) missed++;
  console.log(`  ${isMet ? 'pass' : 'FAIL'}  ${text}: ${measured}`);
}
