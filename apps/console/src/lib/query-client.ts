import { QueryClient } from '@tanstack/react-query';
import { outageOf, RequestError } from './graphql-request.js';
import { setSessionUser } from './session.js';

const ANSWERS = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'BAD_USER_INPUT']);

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 4_000;

/**
 * The console's cache. An answer is final. During an outage queries are retried until it ends, so that pages keep their
 * content; other failures are retried twice. Requests are sent even if the browser reports no network: their failure is
 * how the banner and forms notice.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      retry: (failures, error) =>
        outageOf(error) !== undefined ||
        (!(error instanceof RequestError && ANSWERS.has(error.code)) && failures < 2),
      retryDelay: (failures) => Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Forgets what the signed-in user has loaded. Chunks belong to nobody: their loading goes on. */
export function forgetSession(client: QueryClient): void {
  setSessionUser(undefined);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== CHUNK });
  client.getMutationCache().clear();
}

const CHUNK = 'chunk';
let chunks = 0;

/**
 * Loads a chunk as a query: it is retried during an outage, which the banner shows, and while the server has a newer
 * version of the console, until the user reloads.
 */
export const loadChunk = <Module>(load: () => Promise<Module>): Promise<Module> =>
  queryClient.fetchQuery({
    queryKey: [CHUNK, ++chunks],
    queryFn: async () => {
      try {
        return await load();
      } catch (error) {
        throw await causeOf(error);
      }
    },
    structuralSharing: false,
    gcTime: 0,
  });

/** Why a chunk failed to load; the error itself if the server has the file. */
async function causeOf(error: unknown): Promise<unknown> {
  const file = /(?:https?:\/)?\/\S+\.(?:css|js)/.exec(String(error))?.[0] ?? '/index.html';
  const response = await fetch(file, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (response === undefined) return new RequestError('NETWORK', 'The control plane is unreachable.');
  if (response.status === 404) return new RequestError('OUTDATED', 'Tollgate was updated. Reload the page.');
  return response.ok ? error : new RequestError('UNAVAILABLE', 'The control plane is unavailable.');
}
