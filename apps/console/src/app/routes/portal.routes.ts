import { createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router';
import { parseUsageView } from '../../features/usage/usage-view.js';
import { NotFoundPage } from '../pages/not-found.page.js';
import { parsePortalHomeSearch } from '../search-params.js';
import { requireViewer, rootRoute } from './root.routes.js';

/** To the portal of the viewer's only tenant, or the choice of one. */
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
  component: lazyRouteComponent(() => import('../pages/portal/portal-usage.pages.js'), 'PortalsPage'),
});

/** A tenant's portal: of its people, and of operators who look at it as the tenant does. */
const portalRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/portal/$tenantKey',
  beforeLoad: async ({ context, location, params }) => {
    const { role, memberships } = await requireViewer(context.queryClient, location);
    if (role === null && !memberships.some(({ tenantKey }) => tenantKey === params.tenantKey))
      throw notFound();
  },
  notFoundComponent: NotFoundPage,
  component: lazyRouteComponent(() => import('../shell/portal-shell.js'), 'PortalShell'),
});

const portalHomeRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/',
  validateSearch: parsePortalHomeSearch,
  component: lazyRouteComponent(() => import('../pages/portal/portal-usage.pages.js'), 'PortalHomePage'),
});

const usageRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/usage',
  validateSearch: parseUsageView,
  component: lazyRouteComponent(() => import('../pages/portal/portal-usage.pages.js'), 'PortalUsagePage'),
});

const buyRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/buy',
  component: lazyRouteComponent(() => import('../pages/portal/portal-purchases.pages.js'), 'PortalBuyPage'),
});

const accountRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/access.pages.js'), 'AccountSecurityPage'),
});

const requestsRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/requests',
  component: lazyRouteComponent(
    () => import('../pages/portal/portal-purchases.pages.js'),
    'PortalRequestsPage',
  ),
});

const alertsRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/alerts',
  component: lazyRouteComponent(() => import('../pages/portal/portal-usage.pages.js'), 'PortalAlertsPage'),
});

const quickStartRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/quick-start',
  component: lazyRouteComponent(
    () => import('../pages/portal/portal-usage.pages.js'),
    'PortalQuickStartPage',
  ),
});

const keysRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/portal/portal-usage.pages.js'), 'PortalKeysPage'),
});

const headersRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/headers',
  component: lazyRouteComponent(() => import('../pages/portal/portal-usage.pages.js'), 'PortalHeadersPage'),
});

const receiptsRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/receipts',
  component: lazyRouteComponent(
    () => import('../pages/portal/portal-purchases.pages.js'),
    'PortalReceiptsPage',
  ),
});

const receiptRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/receipts/$purchaseId',
  component: lazyRouteComponent(
    () => import('../pages/portal/portal-purchases.pages.js'),
    'PortalReceiptPage',
  ),
});

const membersRoute = createRoute({
  getParentRoute: () => portalRoute,
  path: '/members',
  component: lazyRouteComponent(() => import('../pages/portal/portal-usage.pages.js'), 'PortalMembersPage'),
});

export const portalRoutes = [
  portalsRoute,
  portalRoute.addChildren([
    accountRoute,
    portalHomeRoute,
    usageRoute,
    buyRoute,
    requestsRoute,
    alertsRoute,
    quickStartRoute,
    keysRoute,
    headersRoute,
    receiptsRoute,
    receiptRoute,
    membersRoute,
  ]),
] as const;
