import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { MutationInput, MutationPayload } from '../graphql/mutation.graphql.js';
import { enumOf, field, ObjectOf } from '../graphql/object-of.js';

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
