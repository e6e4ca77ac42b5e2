import { Injectable, Module } from '@nestjs/common';
import { Args, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import { type JobType, type Queue, Job as QueuedJob } from 'bullmq';
import * as z from 'zod';
import type { Caller } from '../access/actor.js';
import { CurrentCaller, RequirePermission } from '../access/require-permission.decorator.js';
import { ApiError, badInput } from '../api-error.js';
import { ChangeRunner } from '../changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  payloadOf,
  refuse,
} from '../changes/outcome.js';
import { Input, MutationInput, MutationPayload } from '../graphql/mutation.graphql.js';
import { enumOf, field, ObjectOf } from '../graphql/object-of.js';
import { JobsQueue, JobsQueueModule, PolicyQueue, type ProducerQueue } from './queues.js';

export const JobState = enumOf('JobState', 'State of a background job. Finished jobs are deleted.', {
  FAILED: 'All attempts failed. The queue keeps the newest 100 of them.',
  ACTIVE: 'A worker runs it.',
  WAITING: 'Starts as soon as a worker is free.',
  SCHEDULED: 'Starts at a set time.',
});
export type JobState = keyof typeof JobState;

@ObjectType({ description: 'Number of jobs of a queue in one state.' })
class JobCount extends ObjectOf({
  state: field.of(() => JobState, 'The state.'),
  count: field.int('Number of jobs.'),
}) {}

@ObjectType({ description: 'A queue of background jobs.' })
export class JobQueue extends ObjectOf({
  name: field.id('Name of the queue.'),
  paused: field.boolean('Whether workers start no jobs of this queue.'),
  counts: field
    .of(() => JobCount, 'Jobs by state.')
    .list()
    .usualLength(4),
}) {}

@ObjectType({ description: 'A background job.' })
export class Job extends ObjectOf({
  id: field.id('Id in its queue.'),
  queue: field.string('Name of the queue.'),
  name: field.string('Name of the job.'),
  state: field.of(() => JobState, 'Current state.'),
  attempts: field.int('Attempts made.'),
  maxAttempts: field.int('Attempts before the job fails.'),
  error: field.string('Error of the last attempt; null without one.').nullable(),
  stack: field.string('Stack trace of the last error, at most 20,000 characters.').nullable(),
  data: field.string('Data of the job as JSON, at most 20,000 characters.'),
  everyMs: field.safeInt('Interval of its schedule in milliseconds; null without a schedule.').nullable(),
  at: field.dateTime('When it failed, started, was added or will start, by state.'),
}) {}

@InputType({ description: 'A job of a queue.' })
export class JobTargetInput extends MutationInput {
  @Field({ description: 'Name of the queue.' })
  queue!: string;

  @Field(() => ID, { description: 'Id of the job.' })
  id!: string;
}

@InputType({ description: 'A queue of background jobs.' })
export class JobQueueTargetInput extends MutationInput {
  @Field({ description: 'Name of the queue.' })
  queue!: string;
}

@ObjectType({ description: 'Result of changing a job.' })
export class JobPayload extends ObjectOf(MutationPayload, {
  job: field.of(() => Job, 'The job after the change; null if it was removed.').nullable(),
}) {}

@ObjectType({ description: 'Result of changing a queue of jobs.' })
export class JobQueuePayload extends ObjectOf(MutationPayload, {
  queue: field.of(() => JobQueue, 'The queue after the change.').nullable(),
}) {}

const TYPES_OF_STATE: Record<JobState, JobType[]> = {
  FAILED: ['failed'],
  ACTIVE: ['active'],
  WAITING: ['waiting', 'prioritized', 'waiting-children'],
  SCHEDULED: ['delayed'],
};
const STATES = Object.keys(TYPES_OF_STATE) as JobState[];

/** Failed jobs that a queue keeps; jobs in other states are fewer. */
const MAX_JOBS = 100;
const MAX_TEXT = 20_000;

const queueTarget = z.object({ queue: z.string(), reason: optionalNote });
const jobTarget = queueTarget.extend({ id: z.string().min(1, 'Enter the id of a job').max(200) });

/** Returns the action, or why it is not possible. */
type JobAction = (job: QueuedJob, state: JobState) => string | (() => Promise<void>);

@Injectable()
class JobsService {
  private readonly queues: readonly ProducerQueue[];

  constructor(
    jobs: JobsQueue,
    policy: PolicyQueue,
    private readonly changes: ChangeRunner,
  ) {
    this.queues = [jobs, policy];
  }

  listQueues(): Promise<JobQueue[]> {
    return Promise.all(this.queues.map(readQueue));
  }

  /** Newest first within each state. @throws ApiError BAD_USER_INPUT, UNAVAILABLE */
  async list(state: JobState | undefined, queue: string | undefined, first: number): Promise<Job[]> {
    if (first < 1 || first > MAX_JOBS) throw badInput(`first must be 1 to ${MAX_JOBS}`);
    const queues = this.queues.filter(({ name }) => queue === undefined || name === queue);
    const states = state === undefined ? STATES : [state];
    const lists = await Promise.all(
      states.map(async (one) => {
        const found = await Promise.all(queues.map((each) => readJobs(each, one, first)));
        const order = one === 'SCHEDULED' ? 1 : -1;
        return found.flat().sort((a, b) => order * (a.at.getTime() - b.at.getTime()));
      }),
    );
    return lists.flat().slice(0, first);
  }

  /** Errors: INVALID, NOT_FOUND. */
  retry(caller: Caller, input: JobTargetInput): Promise<Outcome<Job | null>> {
    return this.change(caller, input, 'job.retry', (job, state) =>
      state === 'FAILED' ? () => job.retry('failed') : 'Only failed jobs can be retried.',
    );
  }

  /** Errors: INVALID, NOT_FOUND. */
  remove(caller: Caller, input: JobTargetInput): Promise<Outcome<Job | null>> {
    return this.change(caller, input, 'job.remove', (job, state) => {
      if (state === 'ACTIVE') return 'The job is running. Wait until it ends.';
      if (state !== 'FAILED' && job.repeatJobKey !== undefined)
        return 'This job belongs to a schedule and cannot be removed.';
      return () => job.remove();
    });
  }

  /** Errors: INVALID, NOT_FOUND. */
  async setPaused(caller: Caller, input: JobQueueTargetInput, paused: boolean): Promise<Outcome<JobQueue>> {
    const parsed = parseInput(queueTarget, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { queue: name, reason } = parsed.data;
    return this.changes.run<JobQueue>(caller, { reason }, async (change) => {
      const queue = this.queues.find((one) => one.name === name);
      if (queue === undefined) return refuse([notFound(['queue'], `queue "${name}"`)]);
      const before = await readQueue(queue);
      if (before.paused === paused || caller.dryRun === true) return { ...before, paused };
      await change.audit({
        action: paused ? 'jobQueue.pause' : 'jobQueue.resume',
        entityId: name,
        entityName: name,
        before: { paused: !paused },
        after: { paused },
      });
      await reach(queue, () => (paused ? queue.pause() : queue.resume()));
      return readQueue(queue);
    });
  }

  private async change(
    caller: Caller,
    input: JobTargetInput,
    action: AuditAction,
    decide: JobAction,
  ): Promise<Outcome<Job | null>> {
    const parsed = parseInput(jobTarget, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { queue: name, id, reason } = parsed.data;
    return this.changes.run<Job | null>(caller, { reason }, async (change) => {
      const queue = this.queues.find((one) => one.name === name);
      if (queue === undefined) return refuse([notFound(['queue'], `queue "${name}"`)]);
      const job = await reach(queue, () => QueuedJob.fromId(queue, id));
      const state = job === undefined ? undefined : await stateOf(queue, id);
      if (job === undefined || state === undefined) return refuse([notFound(['id'], `job "${id}"`)]);
      const act = decide(job, state);
      if (typeof act === 'string') return refuse([invalid(['id'], act)]);
      const schedules = await readSchedules(queue);
      if (caller.dryRun === true) return toJob(queue, job, state, schedules);
      const before = { queue: name, job: job.name, error: job.failedReason ?? null };
      await change.audit({ action, entityId: id, entityName: job.name, before, after: null });
      await reach(queue, act);
      const now = await reach(queue, () => QueuedJob.fromId(queue, id));
      return now === undefined ? null : toJob(queue, now, (await stateOf(queue, id)) ?? 'WAITING', schedules);
    });
  }
}

async function readQueue(queue: ProducerQueue): Promise<JobQueue> {
  const [paused, counts] = await reach(queue, () =>
    Promise.all([queue.isPaused(), queue.getJobCounts(...STATES.flatMap((state) => TYPES_OF_STATE[state]))]),
  );
  const countOf = (state: JobState) =>
    TYPES_OF_STATE[state].reduce((sum, type) => sum + (counts[type] ?? 0), 0);
  return {
    name: queue.name,
    paused,
    counts: STATES.map((state) => ({ state, count: countOf(state) })),
  };
}

/** Interval in milliseconds by the key of its schedule. */
type Schedules = ReadonlyMap<string, number>;

async function readSchedules(queue: ProducerQueue): Promise<Schedules> {
  const schedules = await reach(queue, () => queue.getJobSchedulers());
  return new Map(schedules.map(({ key, every }) => [key, Number(every)]));
}

async function readJobs(queue: ProducerQueue, state: JobState, first: number): Promise<Job[]> {
  const [found, schedules] = await Promise.all([
    reach(queue, () => queue.getJobs(TYPES_OF_STATE[state], 0, first - 1, state === 'SCHEDULED')),
    readSchedules(queue),
  ]);
  // A job that ends while the list is read is undefined.
  return (found as (QueuedJob | undefined)[]).flatMap((job) =>
    job === undefined ? [] : [toJob(queue, job, state, schedules)],
  );
}

async function stateOf(queue: ProducerQueue, id: string): Promise<JobState | undefined> {
  const type = await reach(queue, () => queue.getJobState(id));
  return STATES.find((state) => (TYPES_OF_STATE[state] as string[]).includes(type));
}

function toJob(queue: Queue, job: QueuedJob, state: JobState, everyMs: Schedules): Job {
  const { id = '', name, attemptsMade, opts, failedReason, stacktrace, timestamp, delay } = job;
  const at = {
    FAILED: job.finishedOn ?? timestamp,
    ACTIVE: job.processedOn ?? timestamp,
    WAITING: timestamp,
    SCHEDULED: timestamp + delay,
  };
  return {
    id,
    queue: queue.name,
    name,
    state,
    attempts: attemptsMade,
    maxAttempts: Math.max(1, opts.attempts ?? 1),
    error: failedReason?.slice(0, MAX_TEXT) ?? null,
    stack: stacktrace?.at(-1)?.slice(0, MAX_TEXT) ?? null,
    data: JSON.stringify(job.data ?? {}).slice(0, MAX_TEXT),
    everyMs: job.repeatJobKey === undefined ? null : (everyMs.get(job.repeatJobKey) ?? null),
    at: new Date(at[state]),
  };
}

/** @throws ApiError UNAVAILABLE */
async function reach<T>(queue: ProducerQueue, work: () => Promise<T>): Promise<T> {
  try {
    queue.requireConnection();
    return await work();
  } catch (error) {
    throw new ApiError('UNAVAILABLE', `The queue of jobs is unavailable: ${(error as Error).message}`);
  }
}

@Resolver()
class JobsResolver {
  constructor(private readonly jobs: JobsService) {}

  @RequirePermission('jobs:read')
  @Query(() => [JobQueue], { name: 'jobQueues', description: 'Queues of background jobs.' })
  listQueues(): Promise<JobQueue[]> {
    return this.jobs.listQueues();
  }

  @RequirePermission('jobs:read')
  @Query(() => [Job], {
    name: 'jobs',
    description: 'Background jobs, failed ones first, then active, waiting and scheduled.',
  })
  list(
    @Args('state', { type: () => JobState, nullable: true, description: 'Only jobs in this state.' })
    state: JobState | null,
    @Args('queue', { type: () => String, nullable: true, description: 'Only jobs of this queue.' })
    queue: string | null,
    @Args('first', { type: () => Int, defaultValue: MAX_JOBS, description: 'Number of jobs, 1 to 100.' })
    first: number,
  ): Promise<Job[]> {
    return this.jobs.list(state ?? undefined, queue ?? undefined, first);
  }

  @RequirePermission('jobs:write')
  @Mutation(() => JobPayload, { name: 'jobRetry', description: 'Runs a failed job again.' })
  async retry(@CurrentCaller() caller: Caller, @Input() input: JobTargetInput): Promise<JobPayload> {
    return payloadOf('job', await this.jobs.retry(caller, input));
  }

  @RequirePermission('jobs:write')
  @Mutation(() => JobPayload, { name: 'jobRemove', description: 'Removes a job that is not running.' })
  async remove(@CurrentCaller() caller: Caller, @Input() input: JobTargetInput): Promise<JobPayload> {
    return payloadOf('job', await this.jobs.remove(caller, input));
  }

  @RequirePermission('jobs:write')
  @Mutation(() => JobQueuePayload, {
    name: 'jobQueuePause',
    description: 'Pauses a queue. Running jobs end; others wait.',
  })
  async pause(
    @CurrentCaller() caller: Caller,
    @Input() input: JobQueueTargetInput,
  ): Promise<JobQueuePayload> {
    return payloadOf('queue', await this.jobs.setPaused(caller, input, true));
  }

  @RequirePermission('jobs:write')
  @Mutation(() => JobQueuePayload, { name: 'jobQueueResume', description: 'Resumes a paused queue.' })
  async resume(
    @CurrentCaller() caller: Caller,
    @Input() input: JobQueueTargetInput,
  ): Promise<JobQueuePayload> {
    return payloadOf('queue', await this.jobs.setPaused(caller, input, false));
  }
}

@Module({ imports: [JobsQueueModule], providers: [JobsService, JobsResolver] })
export class JobsApiModule {}
