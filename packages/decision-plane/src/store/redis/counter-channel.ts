import { Redis } from 'ioredis';

/** Where it is said, a key a message, that a counter was given something back, or was reset. */
export const CLEAR_CHANNEL = 'tg:clear';

const EXHAUSTED_CHANNEL = 'tg:exhausted';

const PING_EVERY_MS = 1000;
const ANSWER_WITHIN_MS = 2000;

/** A counter of which nothing is left, or little. */
export interface Exhaustion {
  readonly key: string;
  /** 0 or more. */
  readonly remaining: number;
  /** The store's time of the reading, microseconds since the Unix epoch. */
  readonly nowUs: number;
  /** When nothing of it is used any more. */
  readonly resetAtUs: number;
}

/** What nodes hear about counters. */
export interface CounterNews {
  onCleared(key: string): void;
  onExhausted(exhaustion: Exhaustion): void;
  /** Listening began, for the first time or again: what was said before was not heard. */
  onMissed(): void;
}

/**
 * Listens on the counters' Redis, on a connection of its own, which is tried every second and made anew when it does not
 * answer. Returns what ends it. In a cluster any node will do: each message goes to all of them.
 */
export function listenToCounters(url: string, news: CounterNews): () => void {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 1000,
    commandTimeout: ANSWER_WITHIN_MS,
    retryStrategy: (attempt) => Math.min(500, 50 * attempt) * (0.5 + Math.random() / 2),
  });
  const connectAnew = () => {
    if (redis.status === 'ready') redis.disconnect(true);
  };
  // Without a listener, a refused connection would end the process; the decision path tells of its own.
  redis.on('error', () => undefined);
  redis.on('ready', () => {
    redis.subscribe(CLEAR_CHANNEL, EXHAUSTED_CHANNEL).then(() => news.onMissed(), connectAnew);
  });
  redis.on('message', (channel, message) => {
    if (channel === CLEAR_CHANNEL) news.onCleared(message);
    else for (const exhaustion of readExhaustions(message)) news.onExhausted(exhaustion);
  });
  // A line that swallows everything looks like one on which nothing is said.
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(connectAnew);
  }, PING_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    redis.disconnect();
  };
}

/** Tells all nodes, this one too; in one message. */
export async function publishExhaustions(
  redis: Pick<Redis, 'publish'>,
  exhaustions: readonly Exhaustion[],
): Promise<void> {
  if (exhaustions.length > 0) await redis.publish(EXHAUSTED_CHANNEL, writeExhaustions(exhaustions));
}

// A line each: time and time to reset in microseconds, and what is left, base 36; then the key, which holds no white space.
function writeExhaustions(exhaustions: readonly Exhaustion[]): string {
  return exhaustions
    .map(({ key, remaining, nowUs, resetAtUs }) =>
      [...[nowUs, resetAtUs - nowUs, remaining].map((number) => number.toString(36)), key].join(' '),
    )
    .join('\n');
}

/** Lines that cannot be read are passed over. */
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
