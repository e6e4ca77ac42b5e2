import type { Redis } from 'ioredis';
import { CLEARED_CHANNEL } from '../scripts/amend.js';
import type { RedisAddress } from '../stores/redis-address.js';
import { connectRedis } from './connection.js';

export const EXHAUSTED_CHANNEL = 'tg:exhausted';
const PING_EVERY_MS = 1000;
const ANSWER_WITHIN_MS = 2000;

export interface Exhaustion {
  readonly key: string;
  /** 0 or more. */
  readonly remaining: number;
  /** Store time of the reading, microseconds since the Unix epoch. */
  readonly nowUs: number;
  /** When the counter is empty again. */
  readonly resetAtUs: number;
}

export interface CounterHandlers {
  onCleared(key: string): void;
  onExhausted(exhaustion: Exhaustion): void;
  /** Subscribed, for the first time or again: earlier messages were missed. */
  onSubscribed(): void;
}

/**
 * Subscribes on a separate connection, which is checked every second and replaced if it does not respond. In a cluster, any
 * node can be used, because each receives all messages.
 */
export function listenToCounters(address: RedisAddress, handlers: CounterHandlers): () => void {
  const redis = connectRedis(address, {
    enableOfflineQueue: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 1000,
    commandTimeout: ANSWER_WITHIN_MS,
    retryStrategy: (attempt) => Math.min(500, 50 * attempt) * (0.5 + Math.random() / 2),
  });
  const reconnect = () => {
    if (redis.status === 'ready') redis.disconnect(true);
  };
  // Without a listener, a refused connection would end the process; the decision path reports its own errors.
  redis.on('error', () => undefined);
  redis.on('ready', () => {
    redis.subscribe(CLEARED_CHANNEL, EXHAUSTED_CHANNEL).then(() => handlers.onSubscribed(), reconnect);
  });
  redis.on('message', (channel, message) => {
    if (channel === CLEARED_CHANNEL) handlers.onCleared(message);
    else for (const exhaustion of readExhaustions(message)) handlers.onExhausted(exhaustion);
  });
  // A dead connection looks like one without messages.
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(reconnect);
  }, PING_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    redis.disconnect();
  };
}

export async function publishExhaustions(
  redis: Pick<Redis, 'publish'>,
  exhaustions: readonly Exhaustion[],
): Promise<void> {
  if (exhaustions.length > 0) await redis.publish(EXHAUSTED_CHANNEL, writeExhaustions(exhaustions));
}

// One line per counter: time, microseconds to reset and remaining units in base 36, then the key, which contains no
// white space.
function writeExhaustions(exhaustions: readonly Exhaustion[]): string {
  return exhaustions
    .map(({ key, remaining, nowUs, resetAtUs }) =>
      [...[nowUs, resetAtUs - nowUs, remaining].map((number) => number.toString(36)), key].join(' '),
    )
    .join('\n');
}

function readExhaustions(message: string): Exhaustion[] {
  return message.split('\n').flatMap((line) => {
    const [now = '', wait = '', left = '', key = ''] = line.split(' ');
    const nowUs = Number.parseInt(now, 36);
    const resetAtUs = nowUs + Number.parseInt(wait, 36);
    const remaining = Number.parseInt(left, 36);
    const isRead = key !== '' && Number.isSafeInteger(resetAtUs) && Number.isSafeInteger(remaining);
    return isRead ? [{ key, remaining, nowUs, resetAtUs }] : [];
  });
}
