import type { Redis } from 'ioredis';
import { POOL_READING_SCRIPT } from '../generated/scripts.js';
import type { Pool } from '../pools/pool.js';
import { runScript, scriptOf } from './script.js';

const script = scriptOf(POOL_READING_SCRIPT);

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
  const reply = await runScript(redis, script, [key], [set.toFixed(0), now]);
  if (!Array.isArray(reply) || reply.length !== 5) throw new Error('pool-reading: five integers expected');
  const [capacity = 0, admitted = 0, borrowed = 0, borrowers = 0, nodes = 0] = reply.map(Number);
  return { capacity, admitted, borrowed, borrowers, nodes };
}
