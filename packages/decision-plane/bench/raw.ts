// How near RedisStore comes to what its script does under a bare, pipelined load of the same keys and batches.
// Usage: pnpm bench -- --only raw [--rounds 5] [--ms 2000]
import { RedisStore } from '@tollgate/decision-plane/internals';
import { DECIDE_SCRIPT } from '#src/generated/scripts.js';
import { scriptOf } from '#src/scripts/script.js';
import { checkOf, compiledBy, RULES, randomNumber } from './bench-keys.ts';
import { benchOptions } from './bench-options.ts';
import { startBenchServer, whereMeasured } from './bench-server.ts';
import { closedLoop, medianRound, type Round } from './closed-loop.ts';
import { encodeCall, RawLoad } from './raw-load.ts';
import { printTable, thousands, times } from './table.ts';

const KEYS = 100_000;
const TENANTS = 1_000;
const BATCH = 256;
const CALLS = 1_000;
const IN_FLIGHT = [2, 3, 4];

const { rounds, ms } = benchOptions();
const server = await startBenchServer();
const store = new RedisStore({ url: server.url, deadlineMs: 1000 });
await store.connected(5000);
const script = scriptOf(DECIDE_SCRIPT);
await store.redis.script('LOAD', script.text);
console.log(`${whereMeasured()}; ${server.kind}, ${thousands(KEYS)} keys, calls of ${BATCH} decisions`);

for (const rule of ['gcra', 'fixed_window'] as const) {
  const of = RULES[rule];
  if (of === undefined) throw new Error(`no rule ${rule}`);
  const limit = compiledBy(of);
  const request = () => ({ checks: [checkOf(limit, randomNumber(KEYS), TENANTS)], peek: false });
  const calls = Array.from({ length: CALLS }, () =>
    encodeCall(script.sha, Array.from({ length: BATCH }, request)),
  );
  const raw = await RawLoad.open(server.port, calls);
  const measured = new Map<string, Round[]>();
  const add = (name: string, round: Round) => measured.set(name, [...(measured.get(name) ?? []), round]);
  for (let i = 0; i < rounds; i++) {
    add(
      'RedisStore, 512 in flight',
      await closedLoop(() => store.decide(request()), 2 * BATCH, ms, server.cpuUs),
    );
    for (const inFlight of IN_FLIGHT) {
      const calls = await closedLoop((n) => raw.send(n), inFlight, ms, server.cpuUs);
      add(`bare socket, ${inFlight} calls in flight`, {
        ...calls,
        opsPerSecond: calls.opsPerSecond * BATCH,
        cpuUsPerOp: calls.cpuUsPerOp / BATCH,
        serverUsPerOp: calls.serverUsPerOp / BATCH,
      });
    }
  }
  raw.close();
  const medians = [...measured].map(([name, all]) => [name, medianRound(all)] as const);
  const ours = medians[0]?.[1].opsPerSecond ?? Number.NaN;
  printTable(
    `${rule}: RedisStore and the bare load`,
    ['', 'decisions/s', 'client CPU a decision', 'server CPU', 'RedisStore ÷ this'],
    medians.map(([name, round]) => [
      name,
      thousands(round.opsPerSecond),
      `${round.cpuUsPerOp.toFixed(2)} µs`,
      `${round.serverUsPerOp.toFixed(2)} µs`,
      times(ours / round.opsPerSecond),
    ]),
  );
}
await store.close();
await server.stop();
