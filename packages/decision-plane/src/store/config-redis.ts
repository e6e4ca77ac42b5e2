import { Redis } from 'ioredis';
import type { z } from 'zod';

/** Connects to the policy Redis. Commands fail immediately without a connection, and after a second without a reply. */
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

/** Parses a JSON text by a schema; undefined if it is invalid. */
export function readJson<T>(schema: z.ZodType<T>, text: string | undefined | null): T | undefined {
  if (text == null) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Subscribes on a separate connection. `onSubscribed` follows each subscription: earlier messages were missed. */
export function listen(
  redis: Redis,
  channel: string,
  onMessage: (message: string) => void,
  onSubscribed: () => void,
): () => void {
  const subscriber = redis.duplicate({ autoResubscribe: false });
  subscriber.on('error', () => undefined);
  subscriber.on('ready', () => {
    // If the connection is lost here, it reconnects and becomes ready again.
    subscriber.subscribe(channel).then(onSubscribed, () => undefined);
  });
  subscriber.on('message', (_channel, message) => onMessage(message));
  return () => subscriber.disconnect();
}
