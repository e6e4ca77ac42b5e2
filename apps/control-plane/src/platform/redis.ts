import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type PoolReading, readPool } from '@tollgate/decision-plane/operate';
import {
  COUNTER_REQUIREMENTS,
  type CounterStore,
  checkServer,
  connectCounters,
  connectRedis,
  parseRedisUrl,
  type RedisRequirements,
} from '@tollgate/limiter/stores';
import { addressOf, StartError } from '@tollgate/logging';
import type { Pool } from '@tollgate/policy';
import type { Redis, RedisOptions } from 'ioredis';
import { AppConfig } from '../config/app-config.js';
import { Log } from './log.js';
import { configRequirements } from './redis-requirements.js';

const DISCONNECT_MS = 200;

/** Longest wait for an answer to a check. */
const CHECK_WITHIN_MS = 2000;

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
    this.config = this.watch(connectRedis(parseRedisUrl(settings.redisConfigUrl), FAIL_FAST), 'config');
    this.counters = connectCounters({
      url: settings.redisCountersUrl,
      deadlineMs: COUNTERS_DEADLINE_MS,
    });
  }

  /**
   * Connects and checks both servers. An unavailable one must not prevent the start: the clients keep reconnecting, and it is
   * checked when it is available.
   * @throws StartError if an available server cannot be used or may lose data
   */
  async onModuleInit(): Promise<void> {
    await this.config.connect().catch(() => undefined);
    const { counters } = this;
    if (counters.servers().length === 0) await counters.connected(CHECK_WITHIN_MS).catch(() => undefined);
    const requirements = configRequirements(this.settings.redisConfigDurability);
    const checks = await Promise.all([
      this.check('REDIS_CONFIG_URL', this.config, requirements),
      ...counters.servers().map((server) => this.check('REDIS_COUNTERS_URL', server, COUNTER_REQUIREMENTS)),
    ]);
    const problems = new Set(checks.flat());
    if (problems.size > 0) throw new StartError([...problems].join('; '));
  }

  /** Logs warnings. @returns errors */
  private async check(name: string, server: Redis, requirements: RedisRequirements): Promise<string[]> {
    const errors: string[] = [];
    for (const { severity, message } of await checkServer(server, requirements, CHECK_WITHIN_MS)) {
      const text = `${name}: ${message}`;
      if (severity === 'error' || severity === 'login') errors.push(text);
      else if (severity === 'warning') this.log.warn({}, text);
      else server.once('ready', () => void this.checkLate(name, server, requirements));
    }
    return errors;
  }

  private async checkLate(name: string, server: Redis, requirements: RedisRequirements): Promise<void> {
    for (const error of await this.check(name, server, requirements)) this.log.error({}, error);
  }

  /** A connection for blocking commands, which must be shorter than their deadline. Closed with the others. */
  openBlocking(role: string): BlockingConnection {
    const address = parseRedisUrl(this.settings.redisConfigUrl);
    const redis = connectRedis(address, { ...FAIL_FAST, lazyConnect: false });
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
