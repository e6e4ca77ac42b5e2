import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  type CounterStore,
  connectCounters,
  type Pool,
  type PoolReading,
  readPool,
  readServerInfo,
} from '@tollgate/decision-plane/internals';
import { Redis, type RedisOptions } from 'ioredis';
import { AppConfig } from '../config/app-config.js';
import { Log } from './log.js';

/** A problem of the Redis for jobs, policy and usage, for operators. */
export interface KeepingProblem {
  /** Whether the server may lose data in normal operation. */
  evicts: boolean;
  message: string;
}

/**
 * Looks at the text of INFO. A server that evicts drops jobs and policy when memory runs short; one without an append-only
 * file has forgotten them all after a restart, and with them the usage that was not counted yet.
 */
export function keepingProblems(info: string): KeepingProblem[] {
  const fields = readServerInfo(info);
  const problems: KeepingProblem[] = [];
  const policy = fields.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    const message = `maxmemory-policy is ${policy}: jobs and policy may be evicted; set it to noeviction`;
    problems.push({ evicts: true, message });
  }
  if (fields.get('aof_enabled') !== '1') {
    const message =
      'it keeps no append-only file: a restart forgets usage that was not counted yet; set appendonly yes, ' +
      'or REDIS_CONFIG_DURABILITY=best-effort';
    problems.push({ evicts: false, message });
  }
  return problems;
}

/** A server that does not answer the end of a connection is left alone after this. */
const DISCONNECT_MS = 200;

/** People wait here, not requests of theirs: longer than a decision may take. */
const COUNTERS_DEADLINE_MS = 100;

const retryStrategy = (attempt: number) => Math.min(50 * attempt, 500);

/** Commands fail fast and are never replayed: a request must not wait for Redis to come back. */
const FAIL_FAST = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 2000,
  connectTimeout: 2000,
  disconnectTimeout: DISCONNECT_MS,
  retryStrategy,
} satisfies RedisOptions;

/** A connection that only its holder uses, so that a command may block on it. */
export type BlockingConnection = Redis;

/** This process' connections to Redis. Jobs have their own, made by the queue module. */
@Injectable()
export class RedisConnections implements OnModuleInit, OnApplicationShutdown {
  /** Policy, node reports. */
  readonly config: Redis;
  /** Answers within its own deadline and never rejects. */
  readonly counters: CounterStore;
  private readonly blocking: Redis[] = [];

  constructor(
    private readonly settings: AppConfig,
    private readonly log: Log,
  ) {
    this.config = this.watch(new Redis(settings.redisConfigUrl, FAIL_FAST), 'config');
    this.counters = connectCounters({
      url: settings.redisCountersUrl,
      deadlineMs: COUNTERS_DEADLINE_MS,
    });
  }

  async onModuleInit(): Promise<void> {
    // An unavailable Redis must not prevent the start: the client keeps reconnecting.
    await this.config.connect().catch(() => undefined);
    await this.checkKeeping();
  }

  /** @throws Error when the Redis for jobs is reachable and would lose data */
  private async checkKeeping(): Promise<void> {
    const info = await this.config.info().catch(() => undefined);
    if (info === undefined) return;
    for (const { evicts, message } of keepingProblems(info)) {
      const text = `The Redis at REDIS_CONFIG_URL can lose data: ${message}`;
      if (evicts || this.settings.redisConfigDurability === 'required') throw new Error(text);
      this.log.warn({}, text);
    }
  }

  /**
   * A separate connection for blocking commands, which must be shorter than their deadline. Commands fail fast: one
   * that waited for Redis would outlive the process. Closed with the others.
   */
  openBlocking(role: string): BlockingConnection {
    const redis = new Redis(this.settings.redisConfigUrl, { ...FAIL_FAST, lazyConnect: false });
    this.blocking.push(redis);
    return this.watch(redis, role);
  }

  /** How a pool's last second looks; null when the counters do not answer in time. */
  async readPool(pool: Pool): Promise<PoolReading | null> {
    const reading = Promise.resolve()
      .then(() => readPool(this.counters.clientFor(pool.key), pool))
      .catch(() => null);
    const tooLate = delay(COUNTERS_DEADLINE_MS, null, { ref: false });
    return Promise.race([reading, tooLate]);
  }

  /** @throws when the Redis of policy and jobs does not answer. */
  async ping(): Promise<void> {
    await this.config.ping();
  }

  async onApplicationShutdown(): Promise<void> {
    // Ending one that has ended already would keep the process alive until ioredis gives up waiting for its end.
    const open = [this.config, ...this.blocking].filter((redis) => redis.status !== 'end');
    for (const redis of open) redis.disconnect();
    await this.counters.close();
  }

  /** One log line per outage, not one per attempt to reconnect. */
  private watch(redis: Redis, role: string): Redis {
    let isDown = false;
    redis.on('error', (error: Error) => {
      if (!isDown) this.log.warn({ role, error: error.message }, 'Redis cannot be reached');
      isDown = true;
    });
    redis.on('ready', () => {
      if (isDown) this.log.info({ role }, 'Redis is back');
      isDown = false;
    });
    return redis;
  }
}
