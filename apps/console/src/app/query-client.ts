import { QueryClient } from '@tanstack/react-query';
import { RequestError } from '../lib/graphql-request.js';

const ANSWERS = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'BAD_USER_INPUT']);

/** The console's cache. An answer is final; only a request that got none is tried again, twice. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) =>
          !(error instanceof RequestError && ANSWERS.has(error.code)) && failures < 2,
      },
      mutations: { retry: false },
    },
  });
}
