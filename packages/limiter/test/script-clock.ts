import type { Redis } from 'ioredis';

/**
 * Start of tests that set the clock of scripts: a minute before the end of a month, and so far ahead that Redis, which expires keys by its
 * own clock, keeps all of them.
 */
export const START_MS = Date.UTC(2040, 0, 31, 23, 59);

/**
 * Deletes keys whose expiry has passed by the test's clock.
 * @returns whether there were any
 */
export async function deleteExpired(redis: Redis, keys: readonly string[], nowUs: number): Promise<boolean> {
  const expiries = await Promise.all(keys.map((key) => redis.pexpiretime(key)));
  const expired = keys.filter((_, i) => {
    const atMs = expiries[i] ?? -1;
    return atMs >= 0 && atMs <= nowUs / 1000;
  });
  return expired.length > 0 && (await redis.del(expired)) > 0;
}
