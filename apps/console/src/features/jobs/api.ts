import { queryOptions } from '@tanstack/react-query';
import type { JobState, JobsQuery } from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';

export {
  JobQueuePauseDocument,
  JobQueueResumeDocument,
  JobRemoveDocument,
  JobRetryDocument,
} from '../../generated/graphql.js';

const JobsDocument = graphql(`
  query Jobs($state: JobState) {
    jobQueues { name paused counts { state count } }
    jobs(state: $state) { id queue name state attempts maxAttempts error stack data everyMs at }
  }
`);

export type QueueInList = JobsQuery['jobQueues'][number];
export type JobInList = JobsQuery['jobs'][number];

export const JOBS = ['jobs'] as const;

/** Queues and at most 100 jobs; refetched every three seconds. */
export const jobsQuery = (state: JobState | undefined) =>
  queryOptions({
    queryKey: [...JOBS, state ?? null],
    queryFn: ({ signal }) => graphqlRequest(JobsDocument, { state: state ?? null }, signal),
    refetchInterval: 3_000,
  });
