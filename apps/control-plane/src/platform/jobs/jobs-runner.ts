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
import { JOBS_QUEUE, JobsQueue, JobsQueueModule, KEPT_JOBS, logErrors, workerOptions } from './queues.js';

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

/** A job occupies at most one slot, so slow jobs, such as mail to a slow server, do not block the others. */
const CONCURRENCY = 8;

/** Runs every `ScheduledJob` of this process. BullMQ's schedulers are shared by all workers. */
@Injectable()
export class JobsRunner implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jobs = new Map<string, { schedule: JobSchedule; job: Job }>();
  private readonly running = new Map<string, Promise<unknown>>();
  private worker: Worker | undefined;
  private timer: NodeJS.Timeout | undefined;
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
      if (!this.running.has(name)) await this.run(name);
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

  private async ensureSchedules(): Promise<void> {
    try {
      this.queue.requireConnection();
      const known = new Map(
        (await this.queue.getJobSchedulers()).map(({ key, every }) => [key, Number(every)]),
      );
      for (const { name, everyMs } of [...this.jobs.values()].map(({ schedule }) => schedule)) {
        if (known.get(name) === everyMs) continue;
        await this.queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: KEPT_JOBS });
      }
    } catch (error) {
      this.log.debug({ error: String(error) }, 'job schedules not checked');
    }
  }
}

@Module({
  imports: [DiscoveryModule, JobsQueueModule],
  providers: [JobsRunner, BacklogMetrics],
  exports: [JobsRunner],
})
export class JobsModule {}
