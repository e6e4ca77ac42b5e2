import { connectRedis, parseRedisUrl, type RedisRequirements } from '@tollgate/limiter/stores';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

const QUOTA = 'tg:quota:check:0';

/** Of a node for the policy Redis; docs/operate/redis.md lists the permissions of its user. */
export function nodeRequirements(recordsTraffic: boolean): RedisRequirements {
  const commands = recordsTraffic ? [...COMMANDS, 'XADD tg:traffic * field 1'] : COMMANDS;
  return { commands, channels: ['tg:policy:announcements'] };
}

const COMMANDS = [
  'EVALSHA 0 0',
  'EVAL return 0',
  'MGET tg:policy:head',
  'GET tg:quota:restored',
  `HGET ${QUOTA} field`,
  `HSET ${QUOTA} field 1`,
  `PEXPIREAT ${QUOTA} 1`,
  'HSET tg:nodes field 1',
  'HSET tg:nodes:left field 1',
  'HDEL tg:nodes field',
  'HGETALL tg:nodes',
  'XADD tg:usage * field 1',
  'XADD tg:journal * field 1',
  'PUBLISH tg:nodes:changes node',
  'TIME',
];

/** Connects to the policy Redis. Commands fail immediately without a connection, and after a second without a reply. */
export function connectConfigRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = connectRedis(parseRedisUrl(url), {
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
