import { createRoute, notFound, redirect } from '@tanstack/react-router';
import { parseUsageView } from '../../features/usage/usage-view.js';
import { PortalNotFoundPage } from '../pages/not-found.page.js';
import { parsePortalHomeSearch } from '../search-params.js';
import { PortalShell } from '../shell/portal-shell.js';
import { page, requireViewer, rootRoute } from './root.routes.js';

const usage = () => import('../pages/portal/portal-usage.pages.js');
const purchases = () => import('../pages/portal/portal-purchases.pages.js');
const access = () => import('../pages/access.pages.js');

/** Redirects to the portal of the viewer's only tenant, or offers a choice. */
const portalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/portal',
  beforeLoad: async ({ context, location }) => {
    const { memberships } = await requireViewer(context.queryClient, location);
    const [only, ...others] = memberships;
    if (only && others.length === 0) {
      throw redirect({ to: '/portal/$tenantKey', params: { tenantKey: only.tenantKey } });
    }
  },
  component: page(usage, 'PortalsPage'),
});

/** The portal of a tenant, for its members and for operators. */
const portalRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/portal/$tenantKey',
  beforeLoad: async ({ context, location, params }) => {
    const { role, memberships } = await requireViewer(context.queryClient, location);
    if (role === null && !memberships.some(({ tenantKey }) => tenantKey === params.tenantKey))
      throw notFound();
  },
  notFoundComponent: PortalNotFoundPage,
  component: PortalShell,
});
const portal = () => portalRoute;

const portalPages = [
  createRoute({ getParentRoute: portal, path: '/account', component: page(access, 'AccountSecurityPage') }),
  createRoute({
    getParentRoute: portal,
    path: '/',
    validateSearch: parsePortalHomeSearch,
    component: page(usage, 'PortalHomePage'),
  }),
  createRoute({
    getParentRoute: portal,
    path: '/usage',
    validateSearch: parseUsageView,
    component: page(usage, 'PortalUsagePage'),
  }),
  createRoute({ getParentRoute: portal, path: '/buy', component: page(purchases, 'PortalBuyPage') }),
  createRoute({
    getParentRoute: portal,
    path: '/requests',
    component: page(purchases, 'PortalRequestsPage'),
  }),
  createRoute({ getParentRoute: portal, path: '/alerts', component: page(usage, 'PortalAlertsPage') }),
  createRoute({
    getParentRoute: portal,
    path: '/quick-start',
    component: page(usage, 'PortalQuickStartPage'),
  }),
  createRoute({ getParentRoute: portal, path: '/keys', component: page(usage, 'PortalKeysPage') }),
  createRoute({ getParentRoute: portal, path: '/headers', component: page(usage, 'PortalHeadersPage') }),
  createRoute({
    getParentRoute: portal,
    path: '/receipts',
    component: page(purchases, 'PortalReceiptsPage'),
  }),
  createRoute({
    getParentRoute: portal,
    path: '/receipts/$purchaseId',
    component: page(purchases, 'PortalReceiptPage'),
  }),
  createRoute({ getParentRoute: portal, path: '/members', component: page(usage, 'PortalMembersPage') }),
  createRoute({ getParentRoute: portal, path: '$', component: PortalNotFoundPage }),
] as const;

export const portalRoutes = [portalsRoute, portalRoute.addChildren([...portalPages])] as const;
