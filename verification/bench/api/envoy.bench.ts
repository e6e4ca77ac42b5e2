// Envoy's two ways to ask, in turns and of one process: its rate limit service over gRPC, and `ext_authz` over HTTP/1.1.
// Usage: pnpm bench envoy [--rounds 5] [--ms 500]
import { benchOptions, median } from '../measure.ts';
import { printTable, thousands, times } from '../table.ts';
import { Generator, CONNECTIONS as GRPC_CONNECTIONS } from './grpc/contender.ts';
import { requestOf } from './grpc-load-messages.ts';
import { Field } from './http/field.ts';
import { closedLoop } from './http/loads.ts';
import { cpuUsOf } from './http/process-figures.ts';

/** Requests in flight, of either kind. */
const IN_FLIGHT = 64;

interface Round {
  readonly perSecond: number;
  /** CPU of the server per request, microseconds. */
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const { rounds, ms } = benchOptions();
const field = await Field.open();
const generator = new Generator((n) => requestOf('strict', 'acme', `user-${n}`));
try {
  const { port, rlsPort = 0, pids, stop } = await field.decisionApi(1, { RLS_PORT: '0' });

  const overGrpc = async (): Promise<Round> => {
    const load = { inFlight: IN_FLIGHT / GRPC_CONNECTIONS };
    const beforeUs = cpuUsOf(pids());
    const report = await generator.run([rlsPort], field.token.token, load, ms);
    if (report.failures > 0) throw new Error(`${report.failures} calls without an answer`);
    const cpuUs = (cpuUsOf(pids()) - beforeUs) / report.answers;
    return {
      perSecond: report.answers / report.seconds,
      cpuUs,
      p50Ms: report.p50Ms ?? Number.NaN,
      p99Ms: report.p99Ms ?? Number.NaN,
    };
  };

  const request = field.forwardAuth('strict');
  const overHttp = async (): Promise<Round> => {
    const load = await closedLoop({ name: 'ext_authz', port, pids, stop, request }, ms);
    if (load.othersPerSecond > 0) throw new Error('requests were not allowed');
    const at = (part: number) => load.latency.getValueAtPercentile(part) / 1000;
    return { perSecond: load.perSecond, cpuUs: load.cpuUs, p50Ms: at(50), p99Ms: at(99) };
  };

  const ways = { 'rate limit service over gRPC': overGrpc, 'ext_authz over HTTP/1.1': overHttp };
  const measured = new Map<string, Round[]>(Object.keys(ways).map((name) => [name, []]));
  // Warm-up.
  for (const ask of Object.values(ways)) await ask();
  for (let round = 0; round < rounds; round++) {
    for (const [name, ask] of Object.entries(ways)) measured.get(name)?.push(await ask());
  }
  const [base = []] = measured.values();
  printTable(
    `Envoy, ${IN_FLIGHT} in flight, one process`,
    ['', 'requests/s', 'server CPU per request', 'p50 / p99', 'CPU ÷ that over gRPC'],
    [...measured].map(([name, all]) => {
      const middle = (pick: (round: Round) => number) => median(all.map(pick));
      return [
        name,
        thousands(middle(({ perSecond }) => perSecond)),
        `${middle(({ cpuUs }) => cpuUs).toFixed(1)} µs`,
        `${middle(({ p50Ms }) => p50Ms).toFixed(2)} / ${middle(({ p99Ms }) => p99Ms).toFixed(2)} ms`,
        times(median(all.map(({ cpuUs }, i) => cpuUs / (base[i]?.cpuUs ?? Number.NaN)))),
      ];
    }),
  );
} finally {
  generator.stop();
  await field.close();
}
