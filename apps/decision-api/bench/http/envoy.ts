import { Generator, CONNECTIONS as GRPC_CONNECTIONS } from '../grpc/contender.ts';
import { requestOf } from '../grpc-load-messages.ts';
import { Field } from './field.ts';
import { closedLoop } from './loads.ts';
import { cpuUsOf } from './process-figures.ts';
import { middle, table, thousands } from './table.ts';

/** Calls in flight, of either kind. */
const IN_FLIGHT = 64;

interface Round {
  readonly perSecond: number;
  /** CPU of the server per request, microseconds. */
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Envoy's two ways to ask, in turns and of one process: its rate limit service over gRPC, and `ext_authz` over HTTP/1.1. */
export async function benchEnvoy({ rounds, ms }: { rounds: number; ms: number }): Promise<void> {
  const field = await Field.open();
  const generator = new Generator((n) => requestOf('strict', 'acme', `user-${n}`));
  try {
    const { port, rlsPort = 0, pids, stop } = await field.decisionApi(1, { RLS_PORT: '0' });
    const target = { name: 'ext_authz', port, pids, stop, request: field.forwardAuth('strict') };
    const overGrpc = async (): Promise<Round> => {
      const load = { inFlight: IN_FLIGHT / GRPC_CONNECTIONS };
      const beforeUs = cpuUsOf(pids());
      const { answers, failures, seconds, p50Ms, p99Ms } = await generator.run(
        [rlsPort],
        field.token.token,
        load,
        ms,
      );
      if (failures > 0) throw new Error(`${failures} calls without an answer`);
      const cpuUs = (cpuUsOf(pids()) - beforeUs) / answers;
      return { perSecond: answers / seconds, cpuUs, p50Ms: p50Ms ?? 0, p99Ms: p99Ms ?? 0 };
    };
    const overHttp = async (): Promise<Round> => {
      const { perSecond, othersPerSecond, cpuUs, latency } = await closedLoop(target, ms);
      if (othersPerSecond > 0) throw new Error('requests were not allowed');
      const [p50Ms = 0, p99Ms = 0] = [50, 99].map((part) => latency.getValueAtPercentile(part) / 1000);
      return { perSecond, cpuUs, p50Ms, p99Ms };
    };
    const ways = new Map([
      ['rate limit service over gRPC', overGrpc],
      ['ext_authz over HTTP/1.1', overHttp],
    ]);
    const measured = new Map<string, Round[]>([...ways.keys()].map((name) => [name, []]));
    for (let round = -1; round < rounds; round++) {
      for (const [name, ask] of ways) {
        const result = await ask();
        // The first round compiles code.
        if (round >= 0) measured.get(name)?.push(result);
      }
    }
    const [base = []] = measured.values();
    table(
      `Envoy, ${IN_FLIGHT} in flight, one process`,
      ['', 'requests/s', 'server CPU per request', 'p50', 'p99', 'CPU ÷ that over gRPC'],
      [...measured].map(([name, all]) => [
        name,
        thousands(middle(all.map(({ perSecond }) => perSecond))),
        `${middle(all.map(({ cpuUs }) => cpuUs)).toFixed(1)} µs`,
        `${middle(all.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms`,
        `${middle(all.map(({ p99Ms }) => p99Ms)).toFixed(2)} ms`,
        `${middle(all.map(({ cpuUs }, i) => cpuUs / (base[i]?.cpuUs ?? Number.NaN))).toFixed(2)} ×`,
      ]),
    );
  } finally {
    generator.stop();
    await field.close();
  }
}
