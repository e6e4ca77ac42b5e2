import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { connectionOptions, parseRedisUrl } from '@tollgate/limiter/stores';
import {
  type ConnectionOptions,
  type JobsOptions,
  Queue,
  type QueueOptions,
  type Worker,
  type WorkerOptions,
} from 'bullmq';
import { AppConfig } from '../../config/app-config.js';
import { Log } from '../log.js';
import { queueTelemetry } from '../tracing.js';

export const POLICY_QUEUE = 'policy';
export const PUBLISH_JOB = 'publish';

/** Failed jobs are kept for inspection. */
export const KEPT_JOBS = { removeOnComplete: true, removeOnFail: 100 } satisfies JobsOptions;

/** A hash tag keeps all keys in one slot of a cluster. */
export const JOBS_PREFIX = '{tollgate:jobs}';

const retryStrategy = (attempt: number) => Math.min(50 * attempt, 500);

function serverOf({ redisConfigUrl }: AppConfig): ConnectionOptions & object {
  return connectionOptions(parseRedisUrl(redisConfigUrl)) as ConnectionOptions & object;
}

/** Producers fail fast: a mutation must not wait for Redis. */
export function producerOptions(config: AppConfig): QueueOptions {
  const connection: ConnectionOptions = {
    ...serverOf(config),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    retryStrategy,
  };
  return { prefix: JOBS_PREFIX, connection, ...queueTelemetry() };
}

/**
 * A job restarts when its lock has expired at two checks: within 9 s after its worker died, or could not schedule the
 * job's next run. With BullMQ's defaults, it takes 90 s.
 */
const LOCK_MS = 5_000;
const STALLED_INTERVAL_MS = 2_000;

/** Workers wait for Redis without a deadline. */
export function workerOptions(config: AppConfig): WorkerOptions {
  return {
    prefix: JOBS_PREFIX,
    connection: {
      ...serverOf(config),
      maxRetriesPerRequest: null,
      retryStrategy,
    },
    concurrency: 1,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_INTERVAL_MS,
    ...queueTelemetry(),
  };
}

/** Logs errors of a worker, and jobs that restart. Lost connections, which probes report, are logged at debug. */
export function logErrors(worker: Worker, log: Log): void {
  worker.on('error', (error) => {
    const isConnection = 'code' in error || error.message === 'Connection is closed.';
    log[isConnection ? 'debug' : 'warn']({ error: String(error), queue: worker.name }, 'job worker failed');
  });
  worker.on('stalled', (job) =>
    log.warn({ job, queue: worker.name }, 'job lost by its worker; restarting it'),
  );
}

const CONNECT_WAIT_MS = 2000;

export abstract class ProducerQueue extends Queue implements OnModuleInit, OnApplicationShutdown {
  private isConnected = false;

  constructor(name: string, config: AppConfig, log: Log) {
    super(name, producerOptions(config));
    this.on('error', (error) => log.debug({ error: String(error) }, 'job queue unavailable'));
  }

  /** Waits for the connection; an unavailable Redis only delays the start. */
  async onModuleInit(): Promise<void> {
    const connected = this.waitUntilReady().then(
      () => {
        this.isConnected = true;
      },
      () => undefined,
    );
    await Promise.race([connected, delay(CONNECT_WAIT_MS, undefined, { ref: false })]);
  }

  /** Call before any command: before the first connection, BullMQ queues commands without a deadline. @throws Error */
  requireConnection(): void {
    if (!this.isConnected) throw new Error('no connection to redis yet');
  }

  async onApplicationShutdown(): Promise<void> {
    // Forced, because a graceful close of an unavailable Redis would reconnect forever.
    await this.backend.close(true);
    await this.close();
  }
}

@Injectable()
export class PolicyQueue extends ProducerQueue {
  constructor(config: AppConfig, log: Log) {
    super(POLICY_QUEUE, config, log);
  }
}

@Injectable()
export class RelayTrigger {
  constructor(
    private readonly queue: PolicyQueue,
    private readonly log: Log,
  ) {}

  /**
   * Call after commit. Calls are merged while a publication waits. Never throws, because the relay's schedule publishes
   * the change a second later.
   */
  async fire(): Promise<void> {
    try {
      this.queue.requireConnection();
      await this.queue.add(
        PUBLISH_JOB,
        {},
        { ...KEPT_JOBS, deduplication: { id: PUBLISH_JOB, keepLastIfActive: true } },
      );
    } catch (error) {
      this.log.warn({ error: String(error) }, 'relay trigger failed; its schedule will publish the change');
    }
  }
}

export const JOBS_QUEUE = 'jobs';

@Injectable()
export class JobsQueue extends ProducerQueue {
  constructor(config: AppConfig, log: Log) {
    super(JOBS_QUEUE, config, log);
  }
}

@Module({ providers: [JobsQueue], exports: [JobsQueue] })
export class JobsQueueModule {}
