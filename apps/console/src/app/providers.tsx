import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ConfirmationHost } from '../components/confirmation-host.js';
import { outageOf, RequestError } from '../lib/graphql-request.js';
import { viewerQuery } from '../lib/viewer.js';
import { createConsoleRouter } from './router.js';
import { ConnectionBanner } from './shell/connection-banner.js';
import { colorSchemeManager, theme } from './theme.js';

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

const RELOADED_AT = 'tollgate-reloaded-at';
const ONCE_PER_MS = 30_000;

/**
 * Reloads the page when a chunk is missing because an upgrade replaced it; at most twice a minute, so that a file
 * that is really missing shows an error instead of a reload loop.
 */
export function reloadAfterUpgrade(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const reloadedAt = Number(sessionStorage.getItem(RELOADED_AT) ?? '0');
    if (Date.now() - reloadedAt < ONCE_PER_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);

// A session may end at any request, not only at navigation, where the router itself asks for the viewer. Afterwards one is
// back where one was.
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'updated' && query.queryKey[0] !== viewerQuery.queryKey[0]) leaveWhenEnded(query.state.error);
});
queryClient.getMutationCache().subscribe(({ mutation }) => leaveWhenEnded(mutation?.state.error));

function leaveWhenEnded(error: unknown): void {
  if (!(error instanceof RequestError) || error.code !== 'UNAUTHENTICATED') return;
  if (router.state.location.pathname === '/sign-in') return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href } });
}

/** Reloads pages that failed to load. */
const reopen = () => void router.invalidate();

export function Providers() {
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} colorSchemeManager={colorSchemeManager} defaultColorScheme="auto">
        <Notifications position="bottom-right" containerWidth={400} limit={4} />
        <RouterProvider router={router} />
        <ConnectionBanner onRecovered={reopen} />
        <ConfirmationHost />
      </MantineProvider>
    </QueryClientProvider>
  );
}
