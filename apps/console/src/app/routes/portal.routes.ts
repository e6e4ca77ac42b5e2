import { createRoute, notFound, redirect } from '@tanstack/react-router';
import { parseUsageView } from '../../features/usage/usage-view.js';
import { PortalNotFoundPage } from '../pages/not-found.page.js';
import { parsePortalHomeSearch, parsePortalWhySearch } from '../search-params.js';
import { PortalShell } from '../shell/portal-shell.js';
import { page, pagesOf, requireViewer, rootRoute } from './root.routes.js';

const usage = () => import('../pages/portal/portal-usage.pages.js');
const purchases = () => import('../pages/portal/portal-purchases.pages.js');
const why = () => import('../pages/portal/portal-why.page.js');
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
const portal = pagesOf(() => portalRoute);

const portalPages = [
  portal.at('/account', page(access, 'AccountSecurityPage')),
  portal.withSearch('/', parsePortalHomeSearch, page(usage, 'PortalHomePage')),
  portal.withSearch('/usage', parseUsageView, page(usage, 'PortalUsagePage')),
  portal.withSearch('/why', parsePortalWhySearch, page(why, 'PortalWhyPage')),
  portal.at('/buy', page(purchases, 'PortalBuyPage')),
  portal.at('/requests', page(purchases, 'PortalRequestsPage')),
  portal.at('/alerts', page(usage, 'PortalAlertsPage')),
  portal.at('/quick-start', page(usage, 'PortalQuickStartPage')),
  portal.at('/keys', page(usage, 'PortalKeysPage')),
  portal.at('/headers', page(usage, 'PortalHeadersPage')),
  portal.at('/receipts', page(purchases, 'PortalReceiptsPage')),
  portal.at('/receipts/$purchaseId', page(purchases, 'PortalReceiptPage')),
  portal.at('/members', page(usage, 'PortalMembersPage')),
  portal.at('$', PortalNotFoundPage),
] as const;

export const portalRoutes = [portalsRoute, portalRoute.addChildren([...portalPages])] as const;
