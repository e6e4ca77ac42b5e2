import type { JobsOptions, QueueOptions, WorkerOptions } from 'bullmq';
import type { AppConfig } from '../../config/app-config.js';

/** Name and job of the queue through which policy is published. */
export const POLICY_QUEUE = 'policy';
export const PUBLISH_JOB = 'publish';

/** A finished job is of no use; failed ones are kept to be looked at. */
export const KEPT_JOBS = { removeOnComplete: true, removeOnFail: 100 } satisfies JobsOptions;

/** One hash tag, so that a cluster keeps all of a queue's keys together. */
const PREFIX = '{tollgate:jobs}';

const retryStrategy = (attempt: number) => Math.min(50 * attempt, 500);

/** Whoever adds jobs fails fast: a mutation must not wait for Redis. */
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

/** Whoever works on jobs waits for Redis as long as it takes. One job at a time. */
export function workerOptions(config: AppConfig): WorkerOptions {
  return {
    prefix: PREFIX,
    connection: { url: config.redisConfigUrl, maxRetriesPerRequest: null, retryStrategy },
    concurrency: 1,
    stalledInterval: STALLED_INTERVAL_MS,
  };
}
