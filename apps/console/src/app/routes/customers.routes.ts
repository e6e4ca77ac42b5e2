import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { parseUsageView } from '../../features/usage/usage-view.js';
import { parseTenantsSearch, parseWhySearch } from '../search-params.js';
import { shellRoute } from './root.routes.js';

const tenantsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tenants',
  validateSearch: parseTenantsSearch,
  component: lazyRouteComponent(() => import('../pages/tenants.page.js'), 'TenantsPage'),
});

const tenantRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tenants/$tenantKey',
  component: lazyRouteComponent(() => import('../pages/tenant.page.js'), 'TenantPage'),
});

const limitsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/tenant/tenant-limits.page.js'), 'TenantLimitsPage'),
});

const usageRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/usage',
  validateSearch: parseUsageView,
  component: lazyRouteComponent(() => import('../pages/tenant/tenant-usage.page.js'), 'TenantUsagePage'),
});

const peopleRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('../pages/tenant/tenant-people.page.js'), 'TenantPeoplePage'),
});

const activityRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/activity',
  component: lazyRouteComponent(
    () => import('../pages/tenant/tenant-activity.page.js'),
    'TenantActivityPage',
  ),
});

const purchasesRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/purchases',
  component: lazyRouteComponent(
    () => import('../pages/tenant/tenant-purchases.page.js'),
    'TenantPurchasesPage',
  ),
});

const exceptionsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/exceptions',
  component: lazyRouteComponent(
    () => import('../pages/tenant/tenant-exceptions.page.js'),
    'TenantExceptionsPage',
  ),
});

const keysRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/tenant/tenant-keys.page.js'), 'TenantKeysPage'),
});

const alertsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/alerts',
  component: lazyRouteComponent(() => import('../pages/tenant/tenant-alerts.page.js'), 'TenantAlertsPage'),
});

const whyRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/why',
  validateSearch: parseWhySearch,
  component: lazyRouteComponent(() => import('../pages/why.page.js'), 'WhyPage'),
});

/** Who is limited, and why. */
export const customersRoutes = [
  tenantsRoute,
  whyRoute,
  tenantRoute.addChildren([
    limitsRoute,
    usageRoute,
    purchasesRoute,
    exceptionsRoute,
    keysRoute,
    peopleRoute,
    alertsRoute,
    activityRoute,
  ]),
] as const;
