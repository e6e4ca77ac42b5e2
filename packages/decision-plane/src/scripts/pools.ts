import { IntegerArrayReader, packIntegers, runScript, scriptOf } from '@tollgate/limiter/stores';
import type { ByPriority, Pool } from '@tollgate/policy';
import type { Redis } from 'ioredis';
import { POOL_EXCHANGE_SCRIPT, POOL_READING_SCRIPT } from '../generated/scripts.js';
import type { PoolAnswer, PoolReport } from '../pools/exchange.js';

const readingScript = scriptOf(POOL_READING_SCRIPT);

/** Usage of a pool over all nodes within the last second; units per second. */
export interface PoolReading {
  /** Corrected by the utilization of services and lowered by the warm-up. */
  readonly capacity: number;
  /** Usage within tenants' limits. */
  readonly admitted: number;
  /** Units lent above tenants' limits. */
  readonly borrowed: number;
  /** Number of borrowing tenants. */
  readonly borrowers: number;
  /** Nodes with traffic for the pool. */
  readonly nodes: number;
  /** Time until the warm-up after a cold start ends, ms; 0: none. */
  readonly warmUpLeftMs: number;
}

/**
 * Reads a pool from the node reports of the last 1.5 seconds.
 *
 * @param nowMs overrides the server's clock; for tests only
 * @throws connection errors; Error for an invalid reply
 */
export async function readPool(
  redis: Redis,
  { key, capacity: set, warmUp }: Pool,
  nowMs?: number,
): Promise<PoolReading> {
  const now = nowMs === undefined ? '' : nowMs.toFixed(0);
  const args = [set, warmUp?.ms ?? 0, startPermilleOf(warmUp)].map(String);
  const reply = await runScript(redis, readingScript, [key], [...args, now]);
  if (!Array.isArray(reply) || reply.length !== 6) throw new Error('pool-reading: six integers expected');
  const [capacity = 0, admitted = 0, borrowed = 0, borrowers = 0, nodes = 0, warmUpLeftMs = 0] =
    reply.map(Number);
  return { capacity, admitted, borrowed, borrowers, nodes, warmUpLeftMs };
}

const script = scriptOf(POOL_EXCHANGE_SCRIPT);

const ANSWER_HEAD = 6;
const INTEGERS_PER_GRANT = 4;

/**
 * Sends a node's report to the pool and returns its allowance. Idempotent: a report describes the last
 * second, not a change.
 *
 * @param nowMs overrides the server's clock; for tests only
 * @throws connection errors; Error for an invalid reply
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

const startPermilleOf = (warmUp: Pool['warmUp']) => (warmUp?.startPercent ?? 0) * 10;

function encodeReport(pool: Pool, { own, demand, borrowers, services, coldStartAgeMs }: PoolReport): Buffer {
  const warmUpMs = pool.warmUp?.ms ?? 0;
  return packIntegers([
    pool.capacity,
    pool.reclaimPercent,
    ...own,
    ...demand,
    borrowers.length,
    services.length,
    warmUpMs,
    startPermilleOf(pool.warmUp),
    Math.min(coldStartAgeMs ?? warmUpMs, warmUpMs),
    ...borrowers.flatMap((borrower) => [borrower.weight, borrower.borrowed, ...borrower.demand]),
    ...services.map(({ utilizationPermille }) => utilizationPermille),
  ]);
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
