import { Redis } from 'ioredis';
import type { z } from 'zod';

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

/** Reads a JSON text by its schema; undefined when it is no JSON or not of that shape. */
export function readJson<T>(schema: z.ZodType<T>, text: string | undefined | null): T | undefined {
  if (text == null) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Calls `onMessage` for each message, and `onSubscribed` each time that the connection, one of its own, begins to listen:
 * what was said before was not heard. Returns what ends it.
 */
export function listen(
  redis: Redis,
  channel: string,
  onMessage: (message: string) => void,
  onSubscribed: () => void,
): () => void {
  const subscriber = redis.duplicate({ autoResubscribe: false });
  subscriber.on('error', () => undefined);
  subscriber.on('ready', () => {
    // A connection that ends meanwhile comes back, and is ready again.
    subscriber.subscribe(channel).then(onSubscribed, () => undefined);
  });
  subscriber.on('message', (_channel, message) => onMessage(message));
  return () => subscriber.disconnect();
}
