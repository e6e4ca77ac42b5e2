// Pools in real time: cost of an answer, cost of an exchange to Redis, and whether several nodes keep to a pool's
// limits.
// Usage: pnpm bench elastic [--nodes 4] [--capacity 2000] [--seconds 4]
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis } from '@tollgate/embedded';
import { compilePool, type Pool } from '@tollgate/policy';
import { Redis } from 'ioredis';
import { PoolBook } from '../../../packages/decision-plane/src/pools/pool-book.js';
import { exchangePool } from '../../../packages/decision-plane/src/scripts/pools.js';
import { readOptions } from '../measure.ts';

const { nodes: NODES, capacity: CAPACITY, seconds } = readOptions({ nodes: 4, capacity: 2000, seconds: 4 });
const PHASE_MS = seconds * 1000;
const RECLAIM_PERCENT = 80;
/** Start of the steady state within a phase. */
const SETTLE_MS = 2000;
const WEIGHTS = { free: 1, pro: 2, enterprise: 5 };

/** Units by the millisecond of their admission. */
class Tally {
  private readonly perMs: number[] = [];
  private readonly startMs: number;

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  add(atMs: number): void {
    const ms = Math.floor(atMs - this.startMs);
    this.perMs[ms] = (this.perMs[ms] ?? 0) + 1;
  }

  between(fromMs: number, toMs: number): number {
    let units = 0;
    for (let ms = Math.max(0, fromMs); ms < toMs; ms++) units += this.perMs[ms] ?? 0;
    return units;
  }

  /** Maximum or minimum in any second within `[fromMs, toMs)`. */
  second(pick: (a: number, b: number) => number, fromMs: number, toMs: number): number {
    let picked = this.between(fromMs, fromMs + 1000);
    let units = picked;
    for (let ms = fromMs; ms + 1000 < toMs; ms++) {
      units += (this.perMs[ms + 1000] ?? 0) - (this.perMs[ms] ?? 0);
      picked = pick(picked, units);
    }
    return picked;
  }

  /**
   * Milliseconds from `fromMs` to the end of the first second for which `holds` is true; undefined if there is none.
   */
  until(holds: (units: number) => boolean, fromMs: number, toMs: number): number | undefined {
    let units = this.between(fromMs - 1000, fromMs);
    for (let ms = fromMs; ms < toMs; ms++) {
      if (holds(units)) return ms - fromMs;
      units += (this.perMs[ms] ?? 0) - (this.perMs[ms - 1000] ?? 0);
    }
    return undefined;
  }
}

const dir = await mkdtemp(join(os.tmpdir(), 'tollgate-elastic-'));
const server = await startRedis({ dir, durable: false, kind: 'redis-server' });
console.log(
  `${os.cpus()[0]?.model ?? 'unknown CPU'} × ${os.cpus().length}, Node ${process.version}, ${server.kind}, ` +
    `${NODES} nodes in one process, capacity ${CAPACITY}/s, ${RECLAIM_PERCENT} % may be used by borrowers`,
);
const redis = new Redis(server.url);

function poolOf(name: string, capacity: number): Pool {
  return compilePool('bench', { name, operations: [], capacity, reclaimPercent: RECLAIM_PERCENT });
}

function openBook(nodeId: string, client: Redis, onExchange: () => void = () => undefined): PoolBook {
  return new PoolBook({
    nodeId,
    liveNodes: () => NODES,
    onError: (message, error) => console.error(message, error),
    exchange: (pool, report) => {
      onExchange();
      return exchangePool(client, pool, report);
    },
  });
}

/** Cost of `admit` and `borrow` to a caller. */
async function measureAnswers(): Promise<void> {
  const pool = poolOf('answers', 1_000_000_000);
  const book = openBook('n0', redis);
  const asks = {
    admit: () => book.admit(pool, 'normal', 1),
    borrow: (i: number) => book.borrow(pool, `t${i % 100}`, 1, 'normal', 1),
  };
  for (const [name, ask] of Object.entries(asks)) {
    await timed(ask, 100_000);
    console.log(`${name}: ${Math.round(await timed(ask, 1_000_000))} ns`);
  }
  book.close();
}

async function timed(ask: (i: number) => boolean, times: number): Promise<number> {
  const startMs = performance.now();
  for (let i = 0; i < times; i++) ask(i);
  const elapsedNs = (performance.now() - startMs) * 1e6;
  // Lets timers and Redis replies run.
  await sleep(50);
  return elapsedNs / times;
}

/** Cost of one exchange to Redis, from its statistics. */
async function measureExchanges(): Promise<void> {
  for (const [nodes, borrowers] of [
    [3, 0],
    [3, 10],
    [10, 50],
    [20, 100],
  ] as const) {
    const pool = poolOf(`exchange-${nodes}-${borrowers}`, CAPACITY);
    const reports = Array.from({ length: nodes }, (_, node) => ({
      node: `n${node}`,
      own: [0, 10, 0] as const,
      demand: [0, 10, 0] as const,
      borrowers: Array.from({ length: borrowers }, (_, i) => ({
        tenant: `tenant-${i}`,
        weight: 1 + (i % 5),
        borrowed: i,
        demand: [0, i * 3, 5] as const,
      })),
      services: [],
    }));
    for (const report of reports) await exchangePool(redis, pool, report);
    await redis.config('RESETSTAT');
    for (let i = 0; i < 200; i++) {
      const report = reports[i % nodes];
      if (report !== undefined) await exchangePool(redis, pool, report);
    }
    const stats = await redis.info('commandstats');
    const us = /cmdstat_evalsha:.*?usec_per_call=([\d.]+)/.exec(stats)?.[1];
    console.log(`an exchange of ${nodes} nodes with ${borrowers} borrowers each: ${us} µs of Redis`);
  }
}

interface Phase {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Several nodes sharing one pool, with the units that they admitted and lent. */
class PoolRun {
  readonly own: Tally;
  readonly lent: Map<string, Tally>;
  readonly lentInAll: Tally;
  refused = 0;
  exchanges = 0;
  private readonly pool = poolOf('phases', CAPACITY);
  private readonly clients = Array.from({ length: NODES }, () => new Redis(server.url));
  private readonly startMs = performance.now();
  private books: PoolBook[];

  constructor() {
    this.own = new Tally(this.startMs);
    this.lentInAll = new Tally(this.startMs);
    this.lent = new Map(Object.keys(WEIGHTS).map((tenant) => [tenant, new Tally(this.startMs)]));
    const count = () => {
      this.exchanges++;
    };
    this.books = this.clients.map((client, i) => openBook(`n${i}`, client, count));
  }

  /** Own traffic and each tenant's demand for loans, as fractions of the capacity, at random nodes. */
  async phase(ownPart: number, borrowPart: number): Promise<Phase> {
    const fromMs = Math.round(performance.now() - this.startMs);
    const borrowing = Object.entries(WEIGHTS).map(([tenant, weight]): [number, () => void] => [
      borrowPart * CAPACITY,
      () => this.askBorrow(tenant, weight),
    ]);
    await offer(PHASE_MS, [[ownPart * CAPACITY, () => this.askOwn()], ...borrowing]);
    return { fromMs, toMs: Math.round(performance.now() - this.startMs) };
  }

  /** Stops the first node without a shutdown. */
  crash(): void {
    this.books.shift()?.close();
  }

  close(): void {
    for (const book of this.books) book.close();
    for (const client of this.clients) client.disconnect();
  }

  private anyBook(): PoolBook | undefined {
    return this.books[Math.floor(Math.random() * this.books.length)];
  }

  private askOwn(): void {
    if (this.anyBook()?.admit(this.pool, 'normal', 1)) this.own.add(performance.now());
    else this.refused++;
  }

  private askBorrow(tenant: string, weight: number): void {
    if (!this.anyBook()?.borrow(this.pool, tenant, weight, 'normal', 1)) return;
    this.lent.get(tenant)?.add(performance.now());
    this.lentInAll.add(performance.now());
  }
}

/** Runs traffic in phases over one pool and reports them. */
async function measurePool(): Promise<void> {
  const run = new PoolRun();
  const { own, lentInAll } = run;
  const shared = await run.phase(0.2, 1);
  const exchangesPerSecond = run.exchanges / NODES / (PHASE_MS / 1000);
  const reclaimed = await run.phase(0.7, 1);
  const refusedBelow = run.refused;
  const past = await run.phase(2, 0);
  await run.phase(0, 1);
  run.crash();
  const crashed = await run.phase(0, 1);
  run.close();

  const { deviation, perSecond } = sharesIn(run.lent, shared);
  const left = (RECLAIM_PERCENT / 100 - 0.7) * CAPACITY;
  const reclaimMs = lentInAll.until((units) => units <= left * 1.1, reclaimed.fromMs, reclaimed.toMs);
  const refillMs = lentInAll.until((units) => units >= 0.75 * CAPACITY, crashed.fromMs + 1000, crashed.toMs);
  const settledMs = past.fromMs + SETTLE_MS;
  const ofCapacity = (units: number) => percent(units / CAPACITY);
  const rows: [string, string][] = [
    ['shares of borrowers, largest deviation from their weights', percent(deviation)],
    ['spare capacity that is lent (own 20 %, demand for the rest)', percent(perSecond / (0.6 * CAPACITY))],
    ['own rises to 70 %: loans per second have followed after', `${reclaimMs} ms`],
    ['own traffic denied below the capacity', String(refusedBelow)],
    ['twice the capacity: worst second', ofCapacity(own.second(Math.max, past.fromMs - 1000, past.toMs))],
    ['  in steady state: worst second', ofCapacity(own.second(Math.max, settledMs, past.toMs))],
    ['  in steady state: minimum per second', ofCapacity(own.second(Math.min, settledMs, past.toMs))],
    [
      'a node crashes: the others lend all of it in a second that ends after',
      `${1000 + (refillMs ?? Number.NaN)} ms`,
    ],
    ['exchanges per second and node', exchangesPerSecond.toFixed(1)],
  ];
  for (const [what, value] of rows) console.log(`${what.padEnd(70)}${value.padStart(10)}`);
}

/** Largest deviation of the tenants' shares from their weights, and their units per second. */
function sharesIn(
  lent: Map<string, Tally>,
  { fromMs, toMs }: Phase,
): { deviation: number; perSecond: number } {
  const parts = Object.entries(WEIGHTS).map(([tenant, weight]) => ({
    weight,
    units: lent.get(tenant)?.between(fromMs + SETTLE_MS, toMs) ?? 0,
  }));
  const units = parts.reduce((sum, part) => sum + part.units, 0);
  const weights = parts.reduce((sum, part) => sum + part.weight, 0);
  const deviations = parts.map((part) => Math.abs(part.units / units / (part.weight / weights) - 1));
  return { deviation: Math.max(...deviations), perSecond: (units * 1000) / (toMs - fromMs - SETTLE_MS) };
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

/** Sends requests at the given rates per second, evenly, in ticks of 2 ms. */
async function offer(durationMs: number, rates: [perSecond: number, ask: () => void][]): Promise<void> {
  const startMs = performance.now();
  const done = rates.map(() => 0);
  for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs = performance.now() - startMs) {
    rates.forEach(([perSecond, ask], i) => {
      const due = Math.floor((perSecond * elapsedMs) / 1000);
      for (; (done[i] ?? 0) < due; done[i] = (done[i] ?? 0) + 1) ask();
    });
    await sleep(2);
  }
}

await measureAnswers();
await measureExchanges();
await measurePool();
redis.disconnect();
await server.stop();
await rm(dir, { recursive: true });
