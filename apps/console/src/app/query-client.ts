import { QueryClient } from '@tanstack/react-query';
import { RequestError } from '../lib/graphql-request.js';
import { outageOf } from '../lib/outage.js';

const ANSWERS = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'BAD_USER_INPUT']);

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 4_000;

/**
 * The console's cache. An answer is final. During an outage queries are retried until it ends, so that pages keep their
 * content; other failures are retried twice.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) =>
          outageOf(error) !== undefined ||
          (!(error instanceof RequestError && ANSWERS.has(error.code)) && failures < 2),
        retryDelay: (failures) => Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS),
      },
      mutations: { retry: false },
    },
  });
}
