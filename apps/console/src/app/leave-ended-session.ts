import type { QueryClient } from '@tanstack/react-query';
import { RequestError } from '../lib/graphql-request.js';
import { forgetSession } from '../lib/query-client.js';
import { viewerQuery } from '../lib/viewer.js';
import type { createConsoleRouter } from './router.js';

/**
 * Opens the sign-in page when a request fails because the session has ended: the viewer did not want to sign in over the page.
 * The router itself asks for the viewer at navigation. Afterwards one is back where one was.
 * @returns stops it
 */
export function leaveEndedSession(
  router: ReturnType<typeof createConsoleRouter>,
  queryClient: QueryClient,
): () => void {
  const leaveWhenEnded = (error: unknown): void => {
    if (!(error instanceof RequestError) || error.code !== 'UNAUTHENTICATED') return;
    if (router.state.location.pathname === '/sign-in') return;
    forgetSession(queryClient);
    void router.navigate({ to: '/sign-in', search: { next: router.state.location.href, session: 'ended' } });
  };
  const stops = [
    queryClient.getQueryCache().subscribe(({ type, query }) => {
      if (type === 'updated' && query.queryKey[0] !== viewerQuery.queryKey[0])
        leaveWhenEnded(query.state.error);
    }),
    queryClient.getMutationCache().subscribe(({ mutation }) => leaveWhenEnded(mutation?.state.error)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
