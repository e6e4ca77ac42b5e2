// Redis CPU of a common decision: the calls of RedisStore under a plain, pipelined load, beside a script that reads and
// increments the same number of keys and decides nothing.
// Usage: pnpm bench script-cpu [--rounds 5] [--ms 500]

import type { Command, Redis } from 'ioredis';
import { RedisStore } from '../../../packages/limiter/src/redis/redis-store.js';
import { sendRun, splitRuns } from '../../../packages/limiter/src/scripts/runs.js';
import { scriptOf } from '../../../packages/limiter/src/scripts/script.js';
import type { StoreRequest } from '../../../packages/limiter/src/stores/decision-store.js';
import { reportGoal } from '../goals.ts';
import { benchOptions, closedLoop, median, medianRound, type Round, whereMeasured } from '../measure.ts';
import { printTable, thousands, times } from '../table.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { checkOf, compiledBy, RULES, randomNumber } from './fixtures.ts';
import { encodeCommand, RawLoad } from './raw-load.ts';

const SIZES = [10_000, 100_000];
const TENANTS = 1_000;
const BATCH = 256;
const CALLS = 1_000;
const CALLS_IN_FLIGHT = 2;
const PACKED = 'fixed_window, packed';
const LOOP = 'MGET + INCRBY loop';
const LOOP_SCRIPT = scriptOf(`
redis.call('MGET', unpack(KEYS))
for i = 1, #KEYS do redis.call('INCRBY', KEYS[i], 1) end
return ''`);

const { rounds, ms } = benchOptions();

interface Contender {
  readonly name: string;
  readonly measure: () => Promise<Round>;
  readonly rounds: Round[];
}

/** Counters of one size on one server. */
interface Size {
  readonly keys: number;
  readonly contenders: readonly Contender[];
  readonly close: () => Promise<void>;
}

async function sizeOf(keys: number): Promise<Size> {
  const server = await startBenchServer();
  const store = new RedisStore({ url: server.url, deadlineMs: 5000 });
  await store.connected(5000);
  await server.redis.script('LOAD', LOOP_SCRIPT.text);
  const contenders: Contender[] = [];
  const loads: RawLoad[] = [];
  const add = async (name: string, encode: () => Buffer | Promise<Buffer>) => {
    const calls: Buffer[] = [];
    for (let n = 0; n < CALLS; n++) calls.push(await encode());
    const load = await RawLoad.open(server.port, calls);
    // Each key once, so that rounds only update.
    for (let n = 0; n < CALLS; n++) await load.send(n);
    loads.push(load);
    contenders.push({ name, rounds: [], measure: () => callLoop(load, server) });
  };
  for (const rule of ['gcra', 'fixed_window', PACKED]) {
    const request = requestsBy(rule, keys);
    // The store has loaded the scripts by now.
    await store.charge(request());
    await add(rule, () => encodedRun(distinct(request)));
    contenders.push({
      name: `${rule} by RedisStore, ${2 * BATCH} in flight`,
      rounds: [],
      measure: () => closedLoop(() => store.charge(request()), 2 * BATCH, ms, server.cpuUs),
    });
  }
  const counter = requestsBy('gcra', keys, 'counted');
  await add(LOOP, () => {
    const names = distinct(counter).map(({ checks }) => checks[0]?.key ?? '');
    return encodeCommand(['EVALSHA', LOOP_SCRIPT.sha, String(names.length), ...names]);
  });
  return {
    keys,
    contenders,
    close: async () => {
      for (const load of loads) load.close();
      await store.close();
      await server.stop();
    },
  };
}

function requestsBy(rule: string, keys: number, name = rule.replace('_', '-')): () => StoreRequest {
  const isPacked = rule === PACKED;
  const of = RULES[isPacked ? 'fixed_window' : rule];
  if (of === undefined) throw new Error(`no rule ${rule}`);
  const packed = { storage: 'packed', expectedSubjects: Math.max(1, keys / TENANTS) } as const;
  const limit = compiledBy(of, name, isPacked ? packed : {});
  return () => ({ checks: [checkOf(limit, randomNumber(keys), TENANTS)], peek: false });
}

/** Requests of a call with a separate key each, as in most batches. */
function distinct(request: () => StoreRequest): StoreRequest[] {
  const requests = new Map<string, StoreRequest>();
  while (requests.size < BATCH) {
    const one = request();
    requests.set(one.checks[0]?.key ?? '', one);
  }
  return [...requests.values()];
}

/** The call that decides `requests`, as RedisStore sends it. */
async function encodedRun(requests: readonly StoreRequest[]): Promise<Buffer> {
  const [run, ...others] = splitRuns(requests);
  if (run === undefined || others.length > 0) throw new Error('the requests need several calls');
  let call: Buffer | undefined;
  const recorder = {
    sendCommand: (command: Command) => {
      call = Buffer.from(command.toWritable({}));
      return Promise.reject(new Error('recorded only'));
    },
  };
  await sendRun(recorder as unknown as Redis, run).catch(() => undefined);
  if (call === undefined) throw new Error('the call was not recorded');
  return call;
}

/** A round of calls, per decision. */
async function callLoop(load: RawLoad, server: BenchServer): Promise<Round> {
  const calls = await closedLoop((n) => load.send(n), CALLS_IN_FLIGHT, ms, server.cpuUs);
  return {
    ...calls,
    opsPerSecond: calls.opsPerSecond * BATCH,
    cpuUsPerOp: calls.cpuUsPerOp / BATCH,
    serverUsPerOp: calls.serverUsPerOp / BATCH,
  };
}

const sizes: Size[] = [];
for (const keys of SIZES) sizes.push(await sizeOf(keys));
console.log(`${whereMeasured()}; calls of ${BATCH} decisions, ${CALLS_IN_FLIGHT} in flight`);
for (let i = 0; i < rounds; i++) {
  for (const { contenders } of sizes) {
    for (const contender of contenders) contender.rounds.push(await contender.measure());
  }
}
for (const { keys, contenders } of sizes) {
  const loop = contenders.find(({ name }) => name === LOOP)?.rounds ?? [];
  const ofLoop = (all: readonly Round[]) =>
    median(all.map(({ serverUsPerOp }, i) => serverUsPerOp / (loop[i]?.serverUsPerOp ?? Number.NaN)));
  const cpuUs = (all: readonly Round[]) => median(all.map(({ serverUsPerOp }) => serverUsPerOp));
  printTable(
    `${thousands(keys)} keys`,
    ['', 'decisions/s', 'client CPU', 'Redis CPU', 'Redis CPU ÷ loop'],
    contenders.map(({ name, rounds: all }) => {
      const round = medianRound(all);
      return [
        name,
        thousands(round.opsPerSecond),
        `${round.cpuUsPerOp.toFixed(2)} µs`,
        `${cpuUs(all).toFixed(2)} µs`,
        times(ofLoop(all)),
      ];
    }),
  );
  const of = keys === 10_000 ? '10k' : '100k';
  for (const { name, rounds: all } of contenders) {
    if (name !== 'gcra' && name !== 'fixed_window' && name !== PACKED) continue;
    const kind = name === 'gcra' ? name : name === PACKED ? 'packed' : 'fixed-window';
    const id = `script-${of}-${kind}` as const;
    reportGoal(id, cpuUs(all));
    reportGoal(`${id}-loop`, ofLoop(all));
  }
}
for (const { close } of sizes) await close();
