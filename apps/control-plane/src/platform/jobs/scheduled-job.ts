import { SetMetadata } from '@nestjs/common';

/** Metadata key under which a job's schedule is kept. */
export const JOB_SCHEDULE = 'tollgate:job-schedule';

export interface JobSchedule {
  /** Names it in BullMQ, in logs and in the audit trail; lower case and hyphens. */
  name: string;
  everyMs: number;
}

/** What a class decorated with `ScheduledJob` does. */
export interface Job {
  /** Does all that is due. May be called twice, and after any time: what it does once, it must know from the database. */
  run(): Promise<unknown>;
}

/**
 * Runs the provider regularly in workers that hold its module. One process never runs it twice at once; two processes may,
 * when a run lasts longer than the schedule.
 */
export const ScheduledJob = (schedule: JobSchedule) =>
  SetMetadata<string, JobSchedule>(JOB_SCHEDULE, schedule);
