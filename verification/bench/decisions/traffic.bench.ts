// Cost of recording a decision, of packing blocks, and stored bytes per decision, in one process; its effect on decisions in Redis.
// Usage: pnpm bench traffic
import { createHmac, randomBytes } from 'node:crypto';
import type { LimitAnswer, LimitRequest } from '@tollgate/contracts';
import { type DecisionStore, MemoryStore, RedisStore } from '@tollgate/limiter/stores';
import {
  BlockBuilder,
  BlockCopier,
  decodeBlock,
  encodeBlock,
  packBlock,
  type ReplayPolicy,
  replayTraffic,
  type TrafficBlock,
  type TrafficSubject,
  unpackBlock,
} from '@tollgate/replay';
import { TrafficRecorder } from '../../../packages/decision-plane/src/usage/traffic-recorder.js';
import { reportGoal } from '../goals.ts';
import { benchOptions, closedLoop, median, whereMeasured } from '../measure.ts';
import { printTable } from '../table.ts';
import { startBenchServer } from './bench-server.ts';
import { engineOver } from './engine.ts';
import { LASTING, limitBy, randomNumber } from './fixtures.ts';
import { heavyTailed, type SampledDecision } from './traffic-sample.ts';

const DECISIONS = 262_144;
/** Decisions in a stored block: ingestion joins the blocks of nodes until they have as many. */
const STORED_ROWS = 65_536;
/** Requests that are made before they are recorded, so that they are in the CPU's cache, as in a node. */
const AT_ONCE = 512;

const HASH_KEY = randomBytes(32);
/** Of 48 bits, remembered as by the ingestion. */
const pseudonyms = new Map<string, string>();

const { rounds, ms } = benchOptions();
const sample = heavyTailed(DECISIONS, 200_000);
const answers = [true, false].map((success): LimitAnswer => answerOf(success));

/** New request objects, as parsed from a body a moment before. */
function requestsFor(decisions: readonly SampledDecision[]): LimitRequest[] {
  const bodies = decisions.map(({ user, operation }) => {
    const ip = `10.${user >> 16}.${(user >> 8) & 255}.${user & 255}`;
    return {
      tenant: 'acme',
      api: 'site',
      operation: `op-${operation}`,
      subject: { ip, user: `user_${user}` },
    };
  });
  return JSON.parse(JSON.stringify(bodies)) as LimitRequest[];
}

function answerOf(success: boolean): LimitAnswer {
  return {
    success,
    policy: 'per-ip',
    limit: 60,
    remaining: 3,
    used: 57,
    reset: 0,
    retryAfter: 0,
    cost: 1,
    reason: success ? 'WITHIN_LIMIT' : 'RATE_EXCEEDED',
    source: 'tier',
    policies: [],
    delayMs: 0,
    degraded: false,
    revision: 3,
    requestId: 'req_1',
  };
}

/** CPU time of `run`, µs. */
function cpuUs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** A recorder whose blocks go to `write`. */
function recorderTo(write: (block: Buffer) => void): TrafficRecorder {
  return new TrafficRecorder({
    nodeId: 'node-1',
    epoch: 'e1',
    write: async (block) => write(block),
    onError: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
}

/** Records the sample. @returns the encoded blocks and the CPU time of recording, µs */
async function recordAll(): Promise<{ recorded: Buffer[]; recordUs: number }> {
  const recorded: Buffer[] = [];
  const recorder = recorderTo((block) => recorded.push(block));
  let recordUs = 0;
  for (let start = 0; start < DECISIONS; start += AT_ONCE) {
    const decisions = sample.slice(start, start + AT_ONCE);
    const requests = requestsFor(decisions);
    recordUs += cpuUs(() => {
      for (let i = 0; i < decisions.length; i++) {
        const { atUs, denied } = decisions[i] as SampledDecision;
        const answer = answers[denied ? 1 : 0] as LimitAnswer;
        recorder.record(requests[i] as LimitRequest, answer, denied ? 'denied' : 'allowed', atUs);
      }
    });
  }
  await recorder.flush();
  return { recorded, recordUs };
}

const costs = { record: [] as number[], join: [] as number[], pack: [] as number[], unpack: [] as number[] };
let packed: Buffer[] = [];
let recordedBytes = 0;
// The first round warms up.
for (let round = 0; round <= rounds; round++) {
  const { recorded, recordUs } = await recordAll();
  recordedBytes = recorded.reduce((sum, { length }) => sum + length, 0);
  let stored: Buffer[] = [];
  const joinUs = cpuUs(() => {
    stored = joined(recorded);
  });
  const packUs = cpuUs(() => {
    packed = stored.map((encoded) => packBlock(encoded));
  });
  const unpackUs = cpuUs(() => {
    for (const bytes of packed) unpackBlock(bytes);
  });
  if (round === 0) continue;
  costs.record.push(recordUs / DECISIONS);
  costs.join.push(joinUs / DECISIONS);
  costs.pack.push(packUs / DECISIONS);
  costs.unpack.push(unpackUs / DECISIONS);
}

function pseudonymOf(dimension: string, value: string): string {
  const text = `${dimension} ${value}`;
  let pseudonym = pseudonyms.get(text);
  if (pseudonym === undefined) {
    pseudonym = createHmac('sha256', HASH_KEY).update(text).digest().subarray(0, 6).toString('base64url');
    pseudonyms.set(text, pseudonym);
  }
  return pseudonym;
}

function pseudonymized({ tenant, values }: TrafficSubject): TrafficSubject {
  return { tenant, values: values.map(([dimension, value]) => [dimension, pseudonymOf(dimension, value)]) };
}

/** CPU time of hashing a value, µs. */
function hashUs(): number {
  const values = Array.from({ length: 20_000 }, (_, n) => `user_${n}`);
  const totalUs = cpuUs(() => {
    for (const value of values) pseudonymOf('new', value);
  });
  return totalUs / values.length;
}

/** The recorded blocks, joined to blocks of {@link STORED_ROWS}. */
function joined(recorded: readonly Buffer[]): Buffer[] {
  const stored: Buffer[] = [];
  let builder = new BlockBuilder();
  const close = () => {
    stored.push(
      encodeBlock(
        builder.build({
          node: 'node-1',
          epoch: 'e1',
          sequence: stored.length + 1,
          dropped: 0,
          resolutionUs: 1,
        }),
      ),
    );
    builder = new BlockBuilder();
  };
  for (const bytes of recorded) {
    const block = decodeBlock(bytes);
    const copier = new BlockCopier(block, builder, pseudonymized);
    for (let row = 0; row < block.rows; row++) copier.copy(row);
    if (builder.rows >= STORED_ROWS) close();
  }
  if (builder.rows > 0) close();
  return stored;
}

/** A rate per address and user, and one of the tenant. */
function policyWith(burst: number): ReplayPolicy {
  const common = { api: 'site', operations: [], onUnavailable: 'share' };
  const limits = [
    { ...common, name: 'per-ip', per: ['ip'], algorithm: 'gcra', limit: 60, windowMs: 60_000, burst },
    {
      ...common,
      name: 'all',
      per: [],
      algorithm: 'fixed_window',
      limit: 1e9,
      windowMs: 60_000,
      alignment: 'clock',
    },
  ];
  const tiers = [{ key: 'test', currentVersion: 1, versions: [{ number: 1, limits }] }];
  const apis = [{ key: 'site', unknownOperations: 'count', operations: [] }];
  return {
    revision: 1,
    catalogueText: JSON.stringify({ kind: 'catalogue', revision: 1, apis, tiers, serviceTokens: [] }),
    tenants: [
      { kind: 'tenant', revision: 1, tenant: 'acme', status: 'active', tier: 'test', pinnedVersion: null },
    ],
  };
}

function* unpacked(): Generator<TrafficBlock> {
  for (const bytes of packed) yield unpackBlock(bytes);
}

const options = { live: [policyWith(59)], draft: policyWith(0) };
const replayUs = Array.from({ length: rounds + 1 }, () =>
  cpuUs(() => replayTraffic(unpacked(), options)),
).slice(1);
const replayed = (DECISIONS * 1e6) / median(replayUs);

interface EngineRound {
  readonly cpuUs: number;
  readonly p99Ms: number;
}

/** Decisions by an engine, one limit and 10,000 users, 64 in flight, while blocks are written once a second. */
function engineWith(store: DecisionStore, recorder?: TrafficRecorder): () => Promise<EngineRound> {
  const engine = engineOver(store, [limitBy(LASTING)], 1000, recorder);
  const names = Array.from({ length: 1000 }, (_, n) => `tenant-${n}`);
  const decide = () => {
    const n = randomNumber(10_000);
    return engine.limit({
      tenant: names[n % 1000] as string,
      api: 'url-shortener',
      operation: 'createURL',
      subject: { user: `u${n}` },
    });
  };
  return async () => {
    const { cpuUsPerOp, p99Ms } = await closedLoop(decide, 64, ms, async () => 0);
    await recorder?.flush();
    return { cpuUs: cpuUsPerOp, p99Ms };
  };
}

/** Without and with recording, in interleaved rounds. */
async function withAndWithout(
  store: DecisionStore,
): Promise<[plain: EngineRound[], recorded: EngineRound[]]> {
  const recorder = recorderTo(() => undefined);
  recorder.start();
  const [plain, recording] = [engineWith(store), engineWith(store, recorder)];
  const done: [EngineRound[], EngineRound[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    done[0].push(await plain());
    done[1].push(await recording());
  }
  await recorder.close();
  return done;
}

const overMemory = await withAndWithout(new MemoryStore());
const server = await startBenchServer();
const redis = new RedisStore({ url: server.url, deadlineMs: 1000 });
await redis.connected(5000);
const overRedis = await withAndWithout(redis);
await redis.close();
await server.stop();

console.log(whereMeasured());
const storedBytes = packed.reduce((sum, { length }) => sum + length, 0) / DECISIONS;
reportGoal('traffic-record', median(costs.record));
reportGoal('traffic-stored', storedBytes);
reportGoal('traffic-replay', replayed);
reportGoal(
  'traffic-p99',
  median(overRedis[1].map(({ p99Ms }, round) => p99Ms / (overRedis[0][round]?.p99Ms ?? Number.NaN))),
);
printTable(
  'Recording of a decision with two dimensions',
  ['', 'CPU', 'bytes'],
  [
    [
      'record and encode on the node',
      `${median(costs.record).toFixed(2)} µs`,
      (recordedBytes / DECISIONS).toFixed(1),
    ],
    ['join blocks of a second, with remembered pseudonyms', `${median(costs.join).toFixed(2)} µs`, ''],
    ['hash a new value', `${hashUs().toFixed(2)} µs`, ''],
    ['compress', `${median(costs.pack).toFixed(2)} µs`, storedBytes.toFixed(1)],
    ['decompress, decode, replay live policy and draft', `${(1e6 / replayed).toFixed(2)} µs`, ''],
    ['decompress and decode', `${median(costs.unpack).toFixed(3)} µs`, ''],
  ],
);
for (const [name, all] of [
  ['memory', overMemory],
  ['Redis', overRedis],
] as const) {
  const medians = (read: (round: EngineRound) => number) =>
    all.map((done) => median(done.map(read)).toFixed(2));
  printTable(
    `Decision by the engine over ${name}, 64 in flight`,
    ['', 'not recorded', 'recorded'],
    [
      ['CPU, µs', ...medians(({ cpuUs }) => cpuUs)],
      ['p99, ms', ...medians(({ p99Ms }) => p99Ms)],
    ],
  );
}
