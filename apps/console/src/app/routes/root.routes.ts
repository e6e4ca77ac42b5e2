import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { RequestError } from '../../lib/graphql-request.js';
import { type Viewer, viewerQuery } from '../../lib/viewer.js';
import { parseSignInSearch, type SignInSearch } from '../search-params.js';

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: parseSignInSearch,
  component: lazyRouteComponent(() => import('../pages/sign-in.page.js'), 'SignInPage'),
});

export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../pages/account.pages.js'), 'InvitationPage'),
});

export const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('../pages/account.pages.js'), 'ForgotPasswordPage'),
});

export const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('../pages/account.pages.js'), 'ResetPasswordPage'),
});

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../pages/account.pages.js'), 'SignUpPage'),
});

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
  component: lazyRouteComponent(() => import('../shell/console-shell.js'), 'ConsoleShell'),
});
