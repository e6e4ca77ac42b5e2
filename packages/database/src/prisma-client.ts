import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client/client.js';

const DEFAULT_MAX_CONNECTIONS = 10;

/**
 * A Prisma client on a pool of at most `max` connections (default 10). It connects at the first query.
 *
 * Sessions are in UTC: the driver adapter writes `+00:00` behind a `timestamptz` without converting it, so in any other
 * zone every time would come back shifted.
 */
export function createPrismaClient(url: string, options: { max?: number } = {}): PrismaClient {
  const max = options.max ?? DEFAULT_MAX_CONNECTIONS;
  return new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, max, options: '-c timezone=UTC' }),
  });
}
