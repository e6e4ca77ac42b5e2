import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { RequestError } from '../lib/graphql-request.js';
import { viewerQuery } from '../lib/viewer.js';
import { colorSchemeManager } from './color-scheme.js';
import { createQueryClient } from './query-client.js';
import { createConsoleRouter } from './router.js';
import { theme } from './theme.js';

const queryClient = createQueryClient();
const router = createConsoleRouter(queryClient);

// A session may end at any request, not only at navigation, where the router itself asks for the viewer.
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type !== 'updated' || !(query.state.error instanceof RequestError)) return;
  if (query.state.error.code !== 'UNAUTHENTICATED' || query.queryKey[0] === viewerQuery.queryKey[0]) return;
  if (router.state.location.pathname === '/sign-in') return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { next: router.state.location.href } });
});

/** The whole console. */
export function Providers() {
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} colorSchemeManager={colorSchemeManager} defaultColorScheme="auto">
        <ModalsProvider>
          <Notifications position="bottom-right" containerWidth={400} limit={4} />
          <RouterProvider router={router} />
        </ModalsProvider>
      </MantineProvider>
    </QueryClientProvider>
  );
}
