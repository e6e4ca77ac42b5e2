import { Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type JobsOptions, Queue, type QueueOptions, type WorkerOptions } from 'bullmq';
import { AppConfig } from '../../config/app-config.js';
import { Log } from '../log.js';

/** Name and job of the queue through which policy is published. */
export const POLICY_QUEUE = 'policy';
export const PUBLISH_JOB = 'publish';

/** A finished job is of no use; failed ones are kept to be looked at. */
export const KEPT_JOBS = { removeOnComplete: true, removeOnFail: 100 } satisfies JobsOptions;

/** One hash tag, so that a cluster keeps all of a queue's keys together. */
const PREFIX = '{tollgate:jobs}';

const retryStrategy = (attempt: number) => Math.min(50 * attempt, 500);

/** Producers fail fast: a mutation must not wait for Redis. */
export function producerOptions(config: AppConfig): QueueOptions {
  const connection = {
    url: config.redisConfigUrl,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 500,
    retryStrategy,
  };
  return { prefix: PREFIX, connection };
}

/**
 * How often workers look for jobs of others that have died. The lock of such a job ends 30 s after its worker; the second look
 * after that takes it back. As a look that comes while another worker's is fresh is left out, they may be two intervals apart:
 * 50 s at most, where BullMQ's default could take two and a half minutes.
 */
const STALLED_INTERVAL_MS = 5_000;

/** Workers wait for Redis without limit. One job at a time. */
export function workerOptions(config: AppConfig): WorkerOptions {
  return {
    prefix: PREFIX,
    connection: { url: config.redisConfigUrl, maxRetriesPerRequest: null, retryStrategy },
    concurrency: 1,
    stalledInterval: STALLED_INTERVAL_MS,
  };
}

const CONNECT_WAIT_MS = 2000;

/** A queue as producers see it. */
export abstract class ProducerQueue extends Queue implements OnModuleInit, OnApplicationShutdown {
  private isConnected = false;

  constructor(name: string, config: AppConfig, log: Log) {
    super(name, producerOptions(config));
    this.on('error', (error) => log.debug({ error: String(error) }, 'job queue unavailable'));
  }

  /** Waits for the connection, which refuses commands before it stands; a Redis that is away only delays the start. */
  async onModuleInit(): Promise<void> {
    const signal = AbortSignal.timeout(CONNECT_WAIT_MS);
    const late = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([
      this.waitUntilReady()
        .then(() => {
          this.isConnected = true;
        })
        .catch(() => undefined),
      late,
    ]);
  }

  /**
   * Call before any command. Before the first connection, BullMQ queues commands without a deadline; afterwards they
   * fail fast.
   * @throws Error before the first connection
   */
  requireConnection(): void {
    if (!this.isConnected) throw new Error('Redis was not reached yet');
  }

  async onApplicationShutdown(): Promise<void> {
    // By force: to say goodbye to a Redis that is gone fails, and leaves a client that tries to get it back without end.
    await this.backend.close(true);
    await this.close();
  }
}

/** The queue through which policy is published. */
@Injectable()
export class PolicyQueue extends ProducerQueue {
  constructor(config: AppConfig, log: Log) {
    super(POLICY_QUEUE, config, log);
  }
}

/** Tells the relay that there is something to publish. */
@Injectable()
export class RelayTrigger {
  constructor(
    private readonly queue: PolicyQueue,
    private readonly log: Log,
  ) {}

  /**
   * Call after commit. Calls while a publication waits are merged; a call while one runs triggers one more. Never
   * throws: the relay's schedule publishes committed changes a second later anyway.
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

/** The queue of scheduled jobs. */
@Injectable()
export class JobsQueue extends ProducerQueue {
  constructor(config: AppConfig, log: Log) {
    super(JOBS_QUEUE, config, log);
  }
}

@Module({ providers: [JobsQueue], exports: [JobsQueue] })
export class JobsQueueModule {}
