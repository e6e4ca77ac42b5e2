import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { Failure, PageSkeleton } from '../components/page.js';
import {
  commerceRoutes,
  customersRoutes,
  operationsRoutes,
  overviewRoutes,
  policyRoutes,
} from './routes/console.routes.js';
import { portalRoutes } from './routes/portal.routes.js';
import { publicRoutes, rootRoute, shellRoute } from './routes/root.routes.js';

const routeTree = rootRoute.addChildren([
  ...publicRoutes,
  shellRoute.addChildren([
    ...overviewRoutes,
    ...policyRoutes,
    ...customersRoutes,
    ...commerceRoutes,
    ...operationsRoutes,
  ]),
  ...portalRoutes,
]);

/** Each page is a separate chunk, preloaded when the pointer is over its link. */
export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: PageSkeleton,
    defaultPendingMs: 300,
    defaultErrorComponent: ({ error, reset }) => (
      <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
    ),
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
