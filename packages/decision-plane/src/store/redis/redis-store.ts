import { Redis, type RedisOptions } from 'ioredis';
import { AMEND_SCRIPT, DECIDE_SCRIPT } from '../../generated/scripts.js';
import { amend } from '../../scripts/amend.js';
import { decideBatch } from '../../scripts/decide.js';
import type {
  Amended,
  Amendment,
  DecisionStore,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../decision-store.js';
import { Reservations, SERVER_LISTS } from '../reservations.js';
import { LaneGroup } from './lane.js';

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

/** Has the server know the scripts whenever it is connected: many calls at once would each send the text. */
export function loadScriptsOn(redis: Redis): void {
  redis.on('ready', () => {
    for (const script of [DECIDE_SCRIPT, AMEND_SCRIPT]) redis.script('LOAD', script).catch(() => undefined);
  });
}

export interface RedisStoreOptions {
  url: string;
  /** Milliseconds; {@link DEFAULT_DEADLINE_MS} unless given. */
  deadlineMs?: number;
  /** Told of each call that was late or failed. */
  onFailure?: (reason: UnavailableReason, error?: unknown) => void;
}

/** Counters in one Redis server, all decisions through one connection. */
export class RedisStore implements DecisionStore {
  /** For what is neither a decision nor a change of counters. */
  readonly redis: Redis;
  private readonly lanes: LaneGroup;
  private readonly reservations: Reservations;

  constructor(options: RedisStoreOptions) {
    this.redis = new Redis(options.url, DECISION_PATH_OPTIONS);
    loadScriptsOn(this.redis);
    const onFailure = options.onFailure ?? (() => undefined);
    // Without a listener, a refused connection would end the process.
    this.redis.on('error', (error) => onFailure('disconnected', error));
    this.lanes = new LaneGroup({
      send: (requests, decideOptions) => decideBatch(this.redis, requests, decideOptions),
      sendAmendment: (amendment, amendOptions) => amend(this.redis, amendment, amendOptions),
      isConnected: () => this.redis.status === 'ready',
      deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
      onFailure,
    });
    this.reservations = new Reservations({
      lists: SERVER_LISTS,
      redis: this.redis,
      serverOf: () => this.redis,
      amend: (amendment) => this.lanes.amend(amendment),
      nowUs: () => this.lanes.serverNowUs() ?? Date.now() * 1000,
    });
    this.reservations.start();
  }

  /** The server's time now or a little before, microseconds since the Unix epoch; undefined before its first reply. */
  nowUs(): number | undefined {
    return this.lanes.serverNowUs();
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
      // A store that is closed meanwhile does not keep its process alive; one that tries to connect does.
      timer.unref();
      this.redis.once('ready', onReady);
    });
  }

  decide(request: StoreRequest): Promise<StoreReply> {
    const { receipt } = request;
    if (receipt === undefined || receipt.expiresAfterMs === 0) return this.lanes.decide(request);
    return this.reservations.reserve(receipt, () => this.lanes.decide(request));
  }

  async amend(amendment: Amendment): Promise<Amended | Unavailable> {
    const reply = await this.lanes.amend(amendment);
    this.reservations.amended(amendment, reply);
    return reply;
  }

  close(): Promise<void> {
    this.reservations.close();
    this.lanes.close();
    this.redis.disconnect();
    return Promise.resolve();
  }
}
