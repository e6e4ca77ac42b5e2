import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { RequestError } from '../../lib/graphql-request.js';
import { loadChunk } from '../../lib/query-client.js';
import { type Viewer, viewerQuery } from '../../lib/viewer.js';
import { parseSignInSearch, type SignInSearch } from '../search-params.js';
import { ConsoleShell, PendingShell } from '../shell/console-shell.js';

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

/** A page that is loaded on first use. Its type is not inferred, because the types of pages depend on those of routes. */
export const page = <M extends object>(load: () => Promise<M>, name: keyof M & string): RouteComponent =>
  lazyRouteComponent(() => loadChunk(load as () => Promise<Record<string, RouteComponent>>), name);

/** Adds pages below a route; `validateSearch` parses the search parameters of a page. */
export const pagesOf = <Parent extends AnyRoute>(getParentRoute: () => Parent) => ({
  at: <const Path extends string>(path: Path, component: RouteComponent) =>
    createRoute({ getParentRoute, path, component }),
  withSearch: <const Path extends string, Search>(
    path: Path,
    validateSearch: (raw: Record<string, unknown>) => Search,
    component: RouteComponent,
  ) => createRoute({ getParentRoute, path, validateSearch, component }),
});

const account = () => import('../pages/account.pages.js');
const denied = () => import('../pages/denied.pages.js');
const root = pagesOf(() => rootRoute);

export const publicRoutes = [
  root.withSearch(
    '/sign-in',
    parseSignInSearch,
    page(() => import('../pages/sign-in.page.js'), 'SignInPage'),
  ),
  root.at('/sign-up', page(account, 'SignUpPage')),
  root.at('/invitation', page(account, 'InvitationPage')),
  root.at('/forgot-password', page(account, 'ForgotPasswordPage')),
  root.at('/reset-password', page(account, 'ResetPasswordPage')),
  root.at('/explain', page(denied, 'DeniedRequestPage')),
  root.at('/docs/denied-requests', page(denied, 'DeniedRequestsPage')),
] as const;

interface Destination {
  pathname: string;
  href: string;
  search: object;
}

/** better-auth sends a spent one-time link to `/?error=…`; that is no page to come back to. */
function searchForSignIn({ pathname, href, search }: Destination): SignInSearch {
  if ('error' in search) return { link: 'spent' };
  return pathname === '/' ? {} : { next: href };
}

/**
 * Loads the signed-in user before a page renders.
 * @throws a redirect to the sign-in page when there is no session
 */
export async function requireViewer(queryClient: QueryClient, location: Destination): Promise<Viewer> {
  return queryClient.ensureQueryData(viewerQuery).catch((error: unknown) => {
    if (error instanceof RequestError && error.code === 'UNAUTHENTICATED') {
      throw redirect({ to: '/sign-in', search: searchForSignIn(location) });
    }
    throw error;
  });
}

/** The operators' console. Redirects users without an operator role to their portal. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const { role } = await requireViewer(context.queryClient, location);
    if (role === null) throw redirect({ to: '/portal' });
  },
  component: ConsoleShell,
  pendingComponent: PendingShell,
  pendingMs: 0,
  pendingMinMs: 0,
});
