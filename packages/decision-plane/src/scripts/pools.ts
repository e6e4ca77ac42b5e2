import type { Redis } from 'ioredis';
import { POOL_EXCHANGE_SCRIPT, POOL_READING_SCRIPT } from '../generated/scripts.js';
import type { PoolAnswer, PoolReport } from '../pools/exchange.js';
import type { ByPriority, Pool } from '../pools/pool.js';
import { IntegerArrayReader, IntegerArrayWriter } from './message-pack.js';
import { runScript, scriptOf } from './script.js';

const readingScript = scriptOf(POOL_READING_SCRIPT);

/** How a pool's last second looks, over all nodes; units a second. */
export interface PoolReading {
  /** As corrected by what services report. */
  readonly capacity: number;
  /** What tenants used within their own limits. */
  readonly admitted: number;
  /** What was lent to those past them. */
  readonly borrowed: number;
  /** Tenants that were lent some. */
  readonly borrowers: number;
  /** Nodes that see its traffic; 0: it has none, or nobody knows. */
  readonly nodes: number;
}

/**
 * Looks at a pool in Redis as nodes told it within the last second and a half.
 *
 * @param nowMs replaces the server's clock: tests only.
 * @throws what the connection throws; Error if the reply has a wrong shape.
 */
export async function readPool(
  redis: Redis,
  { key, capacity: set }: Pool,
  nowMs?: number,
): Promise<PoolReading> {
  const now = nowMs === undefined ? '' : nowMs.toFixed(0);
  const reply = await runScript(redis, readingScript, [key], [set.toFixed(0), now]);
  if (!Array.isArray(reply) || reply.length !== 5) throw new Error('pool-reading: five integers expected');
  const [capacity = 0, admitted = 0, borrowed = 0, borrowers = 0, nodes = 0] = reply.map(Number);
  return { capacity, admitted, borrowed, borrowers, nodes };
}

const script = scriptOf(POOL_EXCHANGE_SCRIPT);

const ANSWER_HEAD = 6;
const INTEGERS_PER_GRANT = 4;

/**
 * Hands a node's report to the pool in Redis and brings back what the node may do. Told twice is told once: a report says
 * how the last second looks, not what changed.
 *
 * @param nowMs replaces the server's clock: tests only.
 * @throws what the connection throws; Error if the reply has a wrong shape.
 */
export async function exchangePool(
  redis: Redis,
  pool: Pool,
  report: PoolReport,
  nowMs?: number,
): Promise<PoolAnswer> {
  const now = nowMs === undefined ? '' : nowMs.toFixed(0);
  const names = [
    ...report.borrowers.map(({ tenant }) => tenant),
    ...report.services.map(({ service }) => service),
  ];
  const args = [encodeReport(pool, report), now, report.node, ...names];
  return decodeAnswer(await runScript(redis, script, [pool.key], args), report.borrowers.length);
}

// One writer for the process: a report is encoded without a pause.
const writer = new IntegerArrayWriter();

function encodeReport(pool: Pool, report: PoolReport): Buffer {
  const { own, demand, borrowers, services } = report;
  const head = [pool.capacity, pool.reclaimPercent, ...own, ...demand, borrowers.length, services.length];
  writer.begin();
  for (const integer of head) writer.push(integer);
  for (const borrower of borrowers) {
    for (const integer of [borrower.weight, borrower.borrowed, ...borrower.demand]) writer.push(integer);
  }
  for (const { utilisationPermille } of services) writer.push(utilisationPermille);
  return writer.finish();
}

function decodeAnswer(reply: unknown, borrowers: number): PoolAnswer {
  if (!Buffer.isBuffer(reply)) throw new Error('pool-exchange: the reply is not a string');
  const reader = new IntegerArrayReader(reply);
  const expected = ANSWER_HEAD + borrowers * INTEGERS_PER_GRANT;
  if (reader.length !== expected) {
    throw new Error(`pool-exchange: ${expected} integers expected, ${reader.length} came`);
  }
  const ranks = (): ByPriority => [reader.next(), reader.next(), reader.next()];
  const capacity = reader.next();
  const limits = ranks();
  const short = reader.next();
  const cap = reader.next();
  const grants = Array.from({ length: borrowers }, () => ({ total: reader.next(), byPriority: ranks() }));
  return { capacity, limits, short, cap, grants };
}
