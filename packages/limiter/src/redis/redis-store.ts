import type { Redis, RedisOptions } from 'ioredis';
import {
  AMEND_SCRIPT,
  DECIDE_SCRIPT,
  RUN_FIRST_REQUEST_SCRIPT,
  RUN_PACKED_SCRIPT,
  RUN_SUBJECT_SCRIPT,
  RUN_VIRTUAL_TIME_SCRIPT,
  RUN_WINDOW_SCRIPT,
} from '../generated/scripts.js';
import { sendAmendment } from '../scripts/amend.js';
import { sendRun } from '../scripts/runs.js';
import type { ClockUs } from '../stores/clocks.js';
import type {
  Amended,
  Amendment,
  CounterStore,
  StoreReply,
  StoreRequest,
  Unavailable,
  UnavailableReason,
} from '../stores/decision-store.js';
import { parseRedisUrl, type RedisAddress } from '../stores/redis-address.js';
import type { RedisCalls } from '../stores/redis-calls.js';
import { connectRedis, endSilentConnections, watchConnections } from './connection.js';
import { LaneGroup } from './lane-group.js';
import { Reservations, SERVER_LISTS } from './reservations.js';

export const DEFAULT_DEADLINE_MS = 25;

/**
 * Connection options of the decision path: a command runs immediately or fails. No offline queue and no replay, so a
 * command that was reported as failed never runs later.
 */
export const DECISION_PATH_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 500,
  // The default maximum of 5 s would delay recovery by seconds.
  retryStrategy: (attempt: number) => Math.min(500, 50 * attempt) * (0.5 + Math.random() / 2),
} satisfies RedisOptions;

const SCRIPTS = [
  DECIDE_SCRIPT,
  RUN_FIRST_REQUEST_SCRIPT,
  RUN_VIRTUAL_TIME_SCRIPT,
  RUN_WINDOW_SCRIPT,
  RUN_PACKED_SCRIPT,
  RUN_SUBJECT_SCRIPT,
  AMEND_SCRIPT,
];

/** Time after which a connection that accepts commands but does not reply is replaced. */
const SILENT_MS = 2000;

/**
 * Replaces the connection if it stays silent, and loads the scripts on each connect. Otherwise, each of many concurrent calls
 * would send the text.
 */
export function prepareForDecisions(redis: Redis, others: readonly string[] = []): void {
  endSilentConnections(redis, SILENT_MS);
  redis.on('ready', () => {
    for (const script of [...SCRIPTS, ...others]) redis.script('LOAD', script).catch(() => undefined);
  });
}

export interface CounterStoreOptions {
  url: string;
  deadlineMs?: number | undefined;
  onFailure?: (reason: UnavailableReason, error?: unknown) => void;
  /** Counts the calls for decisions and amendments. */
  measured?: RedisCalls | undefined;
  /** Replaces the server's clock in tests; its values ascend. */
  clockUs?: ClockUs | undefined;
}

export class RedisStore implements CounterStore {
  readonly address: RedisAddress;
  /** Not used for decisions and amendments. */
  readonly redis: Redis;
  connections = 0;
  private readonly lanes: LaneGroup;
  private readonly reservations: Reservations;

  constructor(options: CounterStoreOptions) {
    this.address = parseRedisUrl(options.url);
    this.redis = connectRedis(this.address, DECISION_PATH_OPTIONS);
    prepareForDecisions(this.redis);
    watchConnections(this.redis, () => this.connections++);
    const onFailure = options.onFailure ?? (() => undefined);
    // Without a listener, a refused connection would end the process.
    this.redis.on('error', (error) => onFailure('disconnected', error));
    this.lanes = new LaneGroup({
      send: (run, decideOptions) => sendRun(this.redis, run, decideOptions),
      sendAmendment: (amendment, amendOptions) => sendAmendment(this.redis, amendment, amendOptions),
      isConnected: () => this.redis.status === 'ready',
      deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
      onFailure,
      measured: options.measured,
      clockUs: options.clockUs,
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

  clientFor(): Redis {
    return this.redis;
  }

  servers(): readonly Redis[] {
    return [this.redis];
  }

  nowUs(): number | undefined {
    return this.lanes.serverNowUs();
  }

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
      // Unreferenced, so that a closed store does not keep the process alive.
      timer.unref();
      this.redis.once('ready', onReady);
    });
  }

  charge(request: StoreRequest): Promise<StoreReply> {
    const { receipt } = request;
    if (receipt === undefined || receipt.expiresAfterMs === 0) return this.lanes.charge(request);
    return this.reservations.reserve(receipt, () => this.lanes.charge(request));
  }

  chargeAll(requests: readonly StoreRequest[]): Promise<readonly StoreReply[]> {
    return this.lanes.chargeAll(requests);
  }

  async amend(amendment: Amendment): Promise<Amended | Unavailable> {
    const reply = await this.lanes.amend(amendment);
    this.reservations.afterAmend(amendment, reply);
    return reply;
  }

  close(): Promise<void> {
    this.reservations.close();
    this.lanes.close();
    this.redis.disconnect();
    return Promise.resolve();
  }
}
