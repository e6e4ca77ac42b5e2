import { Redis, type RedisOptions } from 'ioredis';
import { decideBatch } from '../scripts/decide.js';
import type { Check, DecisionStore, StoreReply, UnavailableReason } from './decision-store.js';
import { Lane } from './lane.js';

/** How long a decision may take when the store does not answer. */
export const DEFAULT_DEADLINE_MS = 25;

/**
 * Connection settings of the decision path: a command fails now or is executed now. No offline queue, no replay: a
 * command that was reported as failed must not be executed when the server comes back.
 */
export const DECISION_PATH_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 500,
  // A connection that swallows what it is sent is ended after this, and made anew.
  socketTimeout: 2000,
  // The client's default cap of 5 s would leave it unusable for seconds after the server is back.
  retryStrategy: (attempt: number) => Math.min(500, 50 * attempt) * (0.5 + Math.random() / 2),
} satisfies RedisOptions;

export interface RedisStoreOptions {
  url: string;
  /** Milliseconds; {@link DEFAULT_DEADLINE_MS} unless given. */
  deadlineMs?: number;
  /** Told of each call that was late or failed. */
  onFailure?: (reason: UnavailableReason, error?: unknown) => void;
}

/** Counters in one Redis server, all decisions through one connection. */
export class RedisStore implements DecisionStore {
  private readonly redis: Redis;
  private readonly lane: Lane;

  constructor(options: RedisStoreOptions) {
    this.redis = new Redis(options.url, DECISION_PATH_OPTIONS);
    const onFailure = options.onFailure ?? (() => undefined);
    // Without a listener, a refused connection would end the process.
    this.redis.on('error', (error) => onFailure('disconnected', error));
    this.lane = new Lane({
      send: (requests) => decideBatch(this.redis, requests),
      isConnected: () => this.redis.status === 'ready',
      deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
      onFailure,
    });
  }

  /** Resolves once the server can be asked; rejects after `timeoutMs`. */
  async connected(timeoutMs: number): Promise<void> {
    if (this.redis.status === 'ready') return;
    await new Promise<void>((resolve, reject) => {
      const onReady = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.redis.off('ready', onReady);
        reject(new Error(`Redis did not answer within ${timeoutMs} ms`));
      }, timeoutMs);
      this.redis.once('ready', onReady);
    });
  }

  decide(checks: readonly Check[], options?: { peek?: boolean }): Promise<StoreReply> {
    return this.lane.decide(checks, options?.peek ?? false);
  }

  close(): Promise<void> {
    this.lane.close();
    this.redis.disconnect();
    return Promise.resolve();
  }
}
