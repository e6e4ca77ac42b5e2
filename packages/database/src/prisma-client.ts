import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client/client.js';
import { PostgresWatch, watchedClient } from './postgres-watch.js';

const DEFAULT_MAX_CONNECTIONS = 10;

/** A burst waits for connections, and changes of one object for each other: slow rather than half refused. */
const PATIENCE = { maxWait: 10_000, timeout: 15_000 };

/**
 * A Prisma client on a pool of at most `max` connections (default 10). It connects at the first query.
 *
 * Sessions are in UTC: the driver adapter writes `+00:00` behind a `timestamptz` without converting it, so in any other
 * zone every time would come back shifted. PgBouncer in transaction mode refuses that start-up option: behind it, the caller
 * sets the zone in each transaction and passes `setsTimeZone: false`.
 */
export function createPrismaClient(
  url: string,
  options: { max?: number; setsTimeZone?: boolean } = {},
): PrismaClient {
  const { max = DEFAULT_MAX_CONNECTIONS, setsTimeZone = true } = options;
  return new PrismaClient({
    transactionOptions: PATIENCE,
    adapter: new PrismaPg({
      connectionString: url,
      max,
      ...(setsTimeZone ? { options: '-c timezone=UTC' } : {}),
      Client: watchedClient(new PostgresWatch(url)),
    }),
  });
}
