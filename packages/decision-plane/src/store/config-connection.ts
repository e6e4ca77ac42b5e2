import { Redis } from 'ioredis';

/**
 * A connection to the Redis that holds policy. A command that cannot be sent fails at once, one without an answer after
 * a second: whoever asks has the last good policy to go on with, and asks again.
 */
export function connectConfigRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: 1000,
    connectTimeout: 1000,
    retryStrategy: (attempt) => Math.min(500, 50 * attempt) * (0.5 + Math.random() / 2),
  });
  redis.on('error', onError);
  return redis;
}
