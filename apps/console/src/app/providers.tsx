import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ConfirmationHost } from '../components/confirmation-host.js';
import { IdentityHost } from '../features/account-security/identity-host.js';
import { RequestError } from '../lib/graphql-request.js';
import { forgetSession, queryClient } from '../lib/query-client.js';
import { viewerQuery } from '../lib/viewer.js';
import { createConsoleRouter } from './router.js';
import { ConnectionBanner } from './shell/connection-banner.js';
import { colorSchemeManager, theme } from './theme.js';

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
  forgetSession(queryClient);
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
        <IdentityHost />
      </MantineProvider>
    </QueryClientProvider>
  );
}
