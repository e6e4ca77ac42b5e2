import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { parseUsageView } from '../../features/usage/usage-view.js';
import { NotFoundPage } from '../pages/not-found.page.js';
import {
  parseAuditSearch,
  parsePurchasesSearch,
  parseRequestsSearch,
  parseRevisionsSearch,
  parseTenantsSearch,
  parseTierCompareSearch,
  parseWhySearch,
} from '../search-params.js';
import { shellRoute } from './root.routes.js';

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home.page.js'), 'HomePage'),
});

const liveRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/live',
  component: lazyRouteComponent(() => import('../pages/live.page.js'), 'LivePage'),
});

const noticesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/notices',
  validateSearch: (raw: Record<string, unknown>): { alarms?: true } =>
    raw.alarms === true ? { alarms: true } : {},
  component: lazyRouteComponent(() => import('../pages/operations.pages.js'), 'NoticesPage'),
});

/** Addresses that name nothing, still inside the frame. */
const notFoundRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage });

export const overviewRoutes = [homeRoute, liveRoute, noticesRoute, notFoundRoute] as const;

const apisRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/apis',
  component: lazyRouteComponent(() => import('../pages/apis.pages.js'), 'ApisPage'),
});

const apiRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/apis/$apiKey',
  component: lazyRouteComponent(() => import('../pages/apis.pages.js'), 'ApiPage'),
});

const tiersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tiers',
  component: lazyRouteComponent(() => import('../pages/tiers.pages.js'), 'TiersPage'),
});

const tierRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tiers/$tierKey',
  component: lazyRouteComponent(() => import('../pages/tiers.pages.js'), 'TierPage'),
});

const tierCompareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tiers/compare',
  validateSearch: parseTierCompareSearch,
  component: lazyRouteComponent(() => import('../pages/tiers.pages.js'), 'TierComparePage'),
});

const changeSetsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/change-sets',
  component: lazyRouteComponent(() => import('../pages/change-sets.pages.js'), 'ChangeSetsPage'),
});

const changeSetRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/change-sets/$changeSetId',
  component: lazyRouteComponent(() => import('../pages/change-sets.pages.js'), 'ChangeSetPage'),
});

export const policyRoutes = [
  apisRoute,
  apiRoute,
  tiersRoute,
  tierCompareRoute,
  tierRoute,
  changeSetsRoute,
  changeSetRoute,
] as const;

const tenantsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tenants',
  validateSearch: parseTenantsSearch,
  component: lazyRouteComponent(() => import('../pages/tenants.page.js'), 'TenantsPage'),
});

const tenantRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tenants/$tenantKey',
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantPage'),
});

const limitsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantLimitsPage'),
});

const usageRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/usage',
  validateSearch: parseUsageView,
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantUsagePage'),
});

const peopleRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantPeoplePage'),
});

const activityRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/activity',
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantActivityPage'),
});

const purchasesRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/purchases',
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantPurchasesPage'),
});

const exceptionsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/exceptions',
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantExceptionsPage'),
});

const keysRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantKeysPage'),
});

const alertsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/alerts',
  component: lazyRouteComponent(() => import('../pages/tenant.pages.js'), 'TenantAlertsPage'),
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

const offersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/offers',
  component: lazyRouteComponent(() => import('../pages/offers.pages.js'), 'OffersPage'),
});

const offerNewRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/offers/new',
  component: lazyRouteComponent(() => import('../pages/offers.pages.js'), 'OfferNewPage'),
});

const offerRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/offers/$offerKey',
  component: lazyRouteComponent(() => import('../pages/offers.pages.js'), 'OfferPage'),
});

const commercePurchasesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/purchases',
  validateSearch: parsePurchasesSearch,
  component: lazyRouteComponent(() => import('../pages/purchases.pages.js'), 'PurchasesPage'),
});

const purchaseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/purchases/$purchaseId',
  component: lazyRouteComponent(() => import('../pages/purchases.pages.js'), 'PurchasePage'),
});

const quotaRequestsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/quota-requests',
  validateSearch: parseRequestsSearch,
  component: lazyRouteComponent(() => import('../pages/quota-requests.page.js'), 'QuotaRequestsPage'),
});

export const commerceRoutes = [
  offersRoute,
  offerNewRoute,
  offerRoute,
  commercePurchasesRoute,
  purchaseRoute,
  quotaRequestsRoute,
] as const;

const nodesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/nodes',
  component: lazyRouteComponent(() => import('../pages/operations.pages.js'), 'NodesPage'),
});

const revisionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/revisions',
  validateSearch: parseRevisionsSearch,
  component: lazyRouteComponent(() => import('../pages/operations.pages.js'), 'RevisionsPage'),
});

const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => import('../pages/audit.page.js'), 'AuditPage'),
});

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../pages/webhooks.pages.js'), 'WebhooksPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$endpointId',
  component: lazyRouteComponent(() => import('../pages/webhooks.pages.js'), 'WebhookPage'),
});

const jobsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs',
  component: lazyRouteComponent(() => import('../pages/operations.pages.js'), 'JobsPage'),
});

const teamRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/team',
  component: lazyRouteComponent(() => import('../pages/access.pages.js'), 'TeamPage'),
});

const serviceTokensRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/service-tokens',
  component: lazyRouteComponent(() => import('../pages/access.pages.js'), 'ServiceTokensPage'),
});

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/access.pages.js'), 'AccountSecurityPage'),
});

export const operationsRoutes = [
  accountRoute,
  nodesRoute,
  revisionsRoute,
  auditRoute,
  webhooksRoute,
  webhookRoute,
  jobsRoute,
  teamRoute,
  serviceTokensRoute,
] as const;
