import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { Failure } from '../components/failure.js';
import { PageSkeleton } from '../components/page.js';
import { RequestError } from '../lib/graphql-request.js';
import { viewerQuery } from '../lib/viewer.js';
import { NotFoundPage } from './pages/not-found.page.js';
import { parseSignInSearch, parseTenantsSearch, type SignInSearch } from './search-params.js';

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: parseSignInSearch,
  component: lazyRouteComponent(() => import('./pages/sign-in.page.js'), 'SignInPage'),
});

/** better-auth sends a spent one-time link to `/?error=…`; that is no page to come back to. */
function searchForSignIn({
  pathname,
  href,
  search,
}: {
  pathname: string;
  href: string;
  search: object;
}): SignInSearch {
  if ('error' in search) return { link: 'spent' };
  return pathname === '/' ? {} : { next: href };
}

/** Everything behind the sign-in. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    await context.queryClient.ensureQueryData(viewerQuery).catch((error: unknown) => {
      if (error instanceof RequestError && error.code === 'UNAUTHENTICATED') {
        throw redirect({ to: '/sign-in', search: searchForSignIn(location) });
      }
      throw error;
    });
  },
  component: lazyRouteComponent(() => import('./shell/console-shell.js'), 'ConsoleShell'),
});

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/home.page.js'), 'HomePage'),
});

const apisRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/apis',
  component: lazyRouteComponent(() => import('./pages/apis.page.js'), 'ApisPage'),
});

const apiRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/apis/$apiKey',
  component: lazyRouteComponent(() => import('./pages/api.page.js'), 'ApiPage'),
});

const tiersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tiers',
  component: lazyRouteComponent(() => import('./pages/tiers.page.js'), 'TiersPage'),
});

const tierRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tiers/$tierKey',
  component: lazyRouteComponent(() => import('./pages/tier.page.js'), 'TierPage'),
});

const tenantsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tenants',
  validateSearch: parseTenantsSearch,
  component: lazyRouteComponent(() => import('./pages/tenants.page.js'), 'TenantsPage'),
});

const tenantRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tenants/$tenantKey',
  component: lazyRouteComponent(() => import('./pages/tenant.page.js'), 'TenantPage'),
});

const nodesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/nodes',
  component: lazyRouteComponent(() => import('./pages/nodes.page.js'), 'NodesPage'),
});

const serviceTokensRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/service-tokens',
  component: lazyRouteComponent(() => import('./pages/service-tokens.page.js'), 'ServiceTokensPage'),
});

/** Addresses that name nothing, still inside the frame. */
const notFoundRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage });

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    homeRoute,
    apisRoute,
    apiRoute,
    tiersRoute,
    tierRoute,
    tenantsRoute,
    tenantRoute,
    nodesRoute,
    serviceTokensRoute,
    notFoundRoute,
  ]),
]);

/** The console's routes; each page is its own chunk, fetched when its link is pointed at. */
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
