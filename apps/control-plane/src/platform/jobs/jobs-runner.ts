import {
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  SetMetadata,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, Reflector } from '@nestjs/core';
import { Worker } from 'bullmq';
import { AppConfig } from '../../config/app-config.js';
import { Log } from '../log.js';
import { BacklogMetrics } from '../metrics/backlog.js';
import { Metrics } from '../metrics/metrics.js';
import { RedisConnections } from '../redis.js';
import { runInScope } from '../tenant-scope.js';
import {
  JOBS_PREFIX,
  JOBS_QUEUE,
  JobsQueue,
  JobsQueueModule,
  KEPT_JOBS,
  logErrors,
  workerOptions,
} from './queues.js';

export const JOB_SCHEDULE = 'tollgate:job-schedule';

export interface JobSchedule {
  /** Name in BullMQ, logs and the audit trail. */
  name: string;
  everyMs: number;
}

export interface Job {
  /** Processes everything that is due. May run twice and at any time, so completed work must be recorded in the database. */
  run(): Promise<unknown>;
}

/** Runs the provider regularly in workers with its module. Processes may overlap if a run takes longer than the schedule. */
export const ScheduledJob = (schedule: JobSchedule) =>
  SetMetadata<string, JobSchedule>(JOB_SCHEDULE, schedule);

/** Restores schedules if Redis was emptied. */
const CHECK_EVERY_MS = 5000;

/** Hash of job names and the time (ms, of Redis) at which a running worker had a job of this name. */
export const KNOWN_JOBS_KEY = `${JOBS_PREFIX}:known`;

/** A schedule is removed when no running worker has had its job for this time. */
const KNOWN_FOR_MS = 60_000;

/** Workers of releases that do not name their jobs restore a removed schedule at once: it is not removed again for this time. */
const KEEP_RESTORED_MS = 600_000;

/** A job occupies at most one slot, so slow jobs, such as mail to a slow server, do not block the others. */
const CONCURRENCY = 8;

/** Runs every `ScheduledJob` of this process. BullMQ's schedulers are shared by all workers. */
@Injectable()
export class JobsRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jobs = new Map<string, { schedule: JobSchedule; job: Job }>();
  private readonly running = new Map<string, Promise<unknown>>();
  private worker: Worker | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Names of dropped jobs that were logged. */
  private readonly dropped = new Set<string>();
  /** Times at which schedules were removed, in the time of `performance.now()`. */
  private readonly removedAtMs = new Map<string, number>();
  private checking: Promise<void> = Promise.resolve();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
    private readonly queue: JobsQueue,
    private readonly redis: RedisConnections,
    private readonly config: AppConfig,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    for (const { metatype, instance } of this.discovery.getProviders()) {
      if (typeof metatype !== 'function' || instance === undefined) continue;
      const schedule = this.reflector.get<JobSchedule | undefined>(JOB_SCHEDULE, metatype);
      if (schedule === undefined) continue;
      this.jobs.set(schedule.name, { schedule, job: instance as Job });
      this.metrics.jobScheduled(schedule.name, schedule.everyMs);
    }
    const options = { ...workerOptions(this.config), concurrency: CONCURRENCY };
    // A run that is still going on covers what became due meanwhile, or the next one does.
    const runOnce = async (name: string) => {
      if (!this.jobs.has(name)) this.drop(name);
      else if (!this.running.has(name)) await this.run(name);
    };
    this.worker = new Worker(JOBS_QUEUE, ({ name }) => runOnce(name), options);
    logErrors(this.worker, this.log);
    this.worker.on('failed', (job, error) => this.log.warn({ err: error, job: job?.name }, 'job failed'));
    const check = () => {
      this.checking = this.ensureSchedules();
    };
    check();
    this.timer = setInterval(check, CHECK_EVERY_MS);
  }

  /** Runs before connections close. Waits for running jobs, unless Redis is unavailable and BullMQ would wait forever. */
  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
    const answers = await this.redis.ping().then(
      () => true,
      () => false,
    );
    await this.worker?.close(!answers);
    await Promise.allSettled(this.running.values());
  }

  /**
   * Completes a run that starts after the call, so that it sees all that the caller stored. Runs of a job do not
   * overlap in this process. @throws the error of the job
   */
  async run(name: string): Promise<void> {
    const found = this.jobs.get(name);
    if (found === undefined) throw new Error(`job ${name} does not exist`);
    await this.running.get(name)?.catch(() => undefined);
    // Started by another caller that waited.
    let running = this.running.get(name);
    if (running === undefined) {
      running = this.metrics
        .jobRun(name, () => runInScope('all', () => found.job.run(), { job: name }))
        .finally(() => this.running.delete(name));
      this.running.set(name, running);
    }
    await running;
  }

  /** A job of another release; workers of that release run it at its next schedule. */
  private drop(name: string): void {
    if (this.dropped.has(name)) return;
    this.dropped.add(name);
    this.log.warn({ job: name }, 'unknown job dropped');
  }

  private async ensureSchedules(): Promise<void> {
    try {
      this.queue.requireConnection();
      const stored = new Map(
        (await this.queue.getJobSchedulers()).map(({ key, every }) => [key, Number(every)]),
      );
      for (const { name, everyMs } of [...this.jobs.values()].map(({ schedule }) => schedule)) {
        if (stored.get(name) === everyMs) continue;
        await this.queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: KEPT_JOBS });
      }
      await this.removeUnknown([...stored.keys()]);
    } catch (error) {
      this.log.debug({ error: String(error) }, 'job schedules not checked');
    }
  }

  /** Removes schedules of other releases when no worker of them runs any more. */
  private async removeUnknown(scheduled: readonly string[]): Promise<void> {
    const { config } = this.redis;
    const nowMs = Number((await config.time())[0]) * 1000;
    await config.hset(KNOWN_JOBS_KEY, Object.fromEntries([...this.jobs.keys()].map((name) => [name, nowMs])));
    const unknown = scheduled.filter((name) => !this.jobs.has(name));
    if (unknown.length === 0) return;
    const known = await config.hgetall(KNOWN_JOBS_KEY);
    for (const name of unknown) {
      if (nowMs - Number(known[name] ?? 0) < KNOWN_FOR_MS) continue;
      const removedMs = this.removedAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
      if (performance.now() - removedMs < KEEP_RESTORED_MS) continue;
      await this.queue.removeJobScheduler(name);
      await config.hdel(KNOWN_JOBS_KEY, name);
      this.removedAtMs.set(name, performance.now());
      this.log.info({ job: name }, 'job schedule of another release removed');
    }
  }
}

@Module({
  imports: [DiscoveryModule, JobsQueueModule],
  providers: [JobsRunner, BacklogMetrics],
  exports: [JobsRunner],
})
export class JobsModule {}
