import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { PrismaClient } from './generated/client/client.js';
import { PostgresWatch, watchedClient } from './postgres-watch.js';

const DEFAULT_MAX_CONNECTIONS = 10;

/** Bursts wait for connections, and changes of one object for each other, instead of failing. */
const TRANSACTION_TIMEOUTS = { maxWait: 10_000, timeout: 15_000 };

/**
 * Connects at the first query. Sessions use UTC, because the driver adapter appends `+00:00` to a `timestamptz`
 * without converting it. PgBouncer in transaction mode rejects that option: pass `setsTimeZone: false` and set the
 * zone in each transaction.
 * @param options `max` connections, default 10; `onPool` receives the pool of connections
 */
export function createPrismaClient(
  url: string,
  options: { max?: number; setsTimeZone?: boolean; onPool?: (pool: Pool) => void } = {},
): PrismaClient {
  const { max = DEFAULT_MAX_CONNECTIONS, setsTimeZone = true, onPool } = options;
  const pool = new Pool({
    connectionString: url,
    max,
    ...(setsTimeZone ? { options: '-c timezone=UTC' } : {}),
    Client: watchedClient(new PostgresWatch(url)),
  });
  onPool?.(pool);
  return new PrismaClient({
    transactionOptions: TRANSACTION_TIMEOUTS,
    adapter: new PrismaPg(pool, { disposeExternalPool: true }),
  });
}
