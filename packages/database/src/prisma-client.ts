import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client/client.js';
import { PostgresWatch } from './postgres-watch.js';
import { watchedClient } from './watched-client.js';

const DEFAULT_MAX_CONNECTIONS = 10;

/** A burst waits for connections, and changes of one object for each other: slow rather than half refused. */
const PATIENCE = { maxWait: 10_000, timeout: 15_000 };

/** The role that applications work as: owns nothing and is held to row-level security. Made by the migrations. */
export const APP_ROLE = 'tollgate_app';

/**
 * A Prisma client on a pool of at most `max` connections (default 10). It connects at the first query, as `role` where one
 * is given, which the user of `url` has to be a member of.
 *
 * Sessions are in UTC: the driver adapter writes `+00:00` behind a `timestamptz` without converting it, so in any other
 * zone every time would come back shifted.
 */
export function createPrismaClient(url: string, options: { max?: number; role?: string } = {}): PrismaClient {
  const max = options.max ?? DEFAULT_MAX_CONNECTIONS;
  const role = options.role === undefined ? '' : ` -c role=${options.role}`;
  return new PrismaClient({
    transactionOptions: PATIENCE,
    adapter: new PrismaPg({
      connectionString: url,
      max,
      options: `-c timezone=UTC${role}`,
      Client: watchedClient(new PostgresWatch(url)),
    }),
  });
}
