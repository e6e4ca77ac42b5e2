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
import { addressOf, StartError } from '@tollgate/logging';
import { Redis, type RedisOptions } from 'ioredis';
import { AppConfig } from '../config/app-config.js';
import { Log } from './log.js';

/** A problem of the configuration Redis, for operators. */
export interface KeepingProblem {
  /** Whether the server may lose data in normal operation. */
  evicts: boolean;
  message: string;
}

/**
 * Problems in the text of INFO: eviction loses jobs and policy; without an append-only file, a restart loses uncounted
 * usage.
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

const DISCONNECT_MS = 200;

/** Longer than for decisions, because operators wait here. */
const COUNTERS_DEADLINE_MS = 100;

const retryStrategy = (attempt: number) => Math.min(50 * attempt, 500);

/** Commands fail fast and are not retried: requests must not wait for Redis. */
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

/** A connection with one user, for blocking commands. */
export type BlockingConnection = Redis;

/** Connections to Redis, except those of the job queues. */
@Injectable()
export class RedisConnections implements OnModuleInit, OnApplicationShutdown {
  /** Policy and node reports. */
  readonly config: Redis;
  /** Responds within its deadline and never rejects. */
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

  /** @throws StartError if the configuration Redis is available and may lose data */
  private async checkKeeping(): Promise<void> {
    const info = await this.config.info().catch(() => undefined);
    if (info === undefined) return;
    for (const { evicts, message } of keepingProblems(info)) {
      const text = `Redis at REDIS_CONFIG_URL can lose data: ${message}`;
      if (evicts || this.settings.redisConfigDurability === 'required') throw new StartError(text);
      this.log.warn({}, text);
    }
  }

  /** A connection for blocking commands, which must be shorter than their deadline. Closed with the others. */
  openBlocking(role: string): BlockingConnection {
    const redis = new Redis(this.settings.redisConfigUrl, { ...FAIL_FAST, lazyConnect: false });
    this.blocking.push(redis);
    return this.watch(redis, role);
  }

  /** A pool's last second; null if the counters are slow or unavailable. */
  async readPool(pool: Pool): Promise<PoolReading | null> {
    const reading = Promise.resolve()
      .then(() => readPool(this.counters.clientFor(pool.key), pool))
      .catch(() => null);
    const tooLate = delay(COUNTERS_DEADLINE_MS, null, { ref: false });
    return Promise.race([reading, tooLate]);
  }

  async ping(): Promise<void> {
    await this.config.ping();
  }

  async onApplicationShutdown(): Promise<void> {
    // Disconnecting an ended client would keep the process alive.
    const open = [this.config, ...this.blocking].filter((redis) => redis.status !== 'end');
    for (const redis of open) redis.disconnect();
    await this.counters.close();
  }

  /** Logs once per outage. */
  private watch(redis: Redis, role: string): Redis {
    let isDown = false;
    redis.on('error', (error: Error) => {
      if (!isDown) {
        const address = addressOf(this.settings.redisConfigUrl);
        const facts = { role, setting: 'REDIS_CONFIG_URL', address, error: error.message };
        this.log.warn(facts, 'redis unavailable; connecting again');
      }
      isDown = true;
    });
    redis.on('ready', () => {
      if (isDown) this.log.info({ role }, 'redis available');
      isDown = false;
    });
    return redis;
  }
}
