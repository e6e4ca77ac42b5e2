import { createRoute } from '@tanstack/react-router';
import { parseTrafficView, parseUsageView } from '../../features/usage/usage-view.js';
import { HomePage } from '../pages/home.page.js';
import { NotFoundPage } from '../pages/not-found.page.js';
import {
  parseAuditSearch,
  parseJobsSearch,
  parseNoticesSearch,
  parsePurchasesSearch,
  parseRequestsSearch,
  parseRevisionsSearch,
  parseTenantsSearch,
  parseTierCompareSearch,
  parseWhySearch,
} from '../search-params.js';
import { page, shellRoute } from './root.routes.js';

const live = () => import('../pages/live.page.js');
const apis = () => import('../pages/apis.pages.js');
const tiers = () => import('../pages/tiers.pages.js');
const changeSets = () => import('../pages/change-sets.pages.js');
const tenants = () => import('../pages/tenants.page.js');
const tenant = () => import('../pages/tenant.pages.js');
const why = () => import('../pages/why.page.js');
const offers = () => import('../pages/offers.pages.js');
const purchases = () => import('../pages/purchases.pages.js');
const quotaRequests = () => import('../pages/quota-requests.page.js');
const operations = () => import('../pages/operations.pages.js');
const audit = () => import('../pages/audit.page.js');
const webhooks = () => import('../pages/webhooks.pages.js');
const access = () => import('../pages/access.pages.js');

const shell = () => shellRoute;

export const overviewRoutes = [
  createRoute({
    getParentRoute: shell,
    path: '/',
    validateSearch: parseTrafficView,
    component: HomePage,
  }),
  createRoute({ getParentRoute: shell, path: '/live', component: page(live, 'LivePage') }),
  createRoute({
    getParentRoute: shell,
    path: '/notices',
    validateSearch: parseNoticesSearch,
    component: page(operations, 'NoticesPage'),
  }),
  createRoute({ getParentRoute: shell, path: '$', component: NotFoundPage }),
] as const;

export const policyRoutes = [
  createRoute({ getParentRoute: shell, path: '/apis', component: page(apis, 'ApisPage') }),
  createRoute({ getParentRoute: shell, path: '/apis/$apiKey', component: page(apis, 'ApiPage') }),
  createRoute({ getParentRoute: shell, path: '/tiers', component: page(tiers, 'TiersPage') }),
  createRoute({
    getParentRoute: shell,
    path: '/tiers/compare',
    validateSearch: parseTierCompareSearch,
    component: page(tiers, 'TierComparePage'),
  }),
  createRoute({ getParentRoute: shell, path: '/tiers/$tierKey', component: page(tiers, 'TierPage') }),
  createRoute({ getParentRoute: shell, path: '/change-sets', component: page(changeSets, 'ChangeSetsPage') }),
  createRoute({
    getParentRoute: shell,
    path: '/change-sets/$changeSetId',
    component: page(changeSets, 'ChangeSetPage'),
  }),
] as const;

const tenantRoute = createRoute({
  getParentRoute: shell,
  path: '/tenants/$tenantKey',
  component: page(tenant, 'TenantPage'),
});
const inTenant = () => tenantRoute;

const tenantPages = [
  createRoute({ getParentRoute: inTenant, path: '/', component: page(tenant, 'TenantLimitsPage') }),
  createRoute({
    getParentRoute: inTenant,
    path: '/usage',
    validateSearch: parseUsageView,
    component: page(tenant, 'TenantUsagePage'),
  }),
  createRoute({
    getParentRoute: inTenant,
    path: '/purchases',
    component: page(tenant, 'TenantPurchasesPage'),
  }),
  createRoute({
    getParentRoute: inTenant,
    path: '/exceptions',
    component: page(tenant, 'TenantExceptionsPage'),
  }),
  createRoute({ getParentRoute: inTenant, path: '/keys', component: page(tenant, 'TenantKeysPage') }),
  createRoute({ getParentRoute: inTenant, path: '/people', component: page(tenant, 'TenantPeoplePage') }),
  createRoute({ getParentRoute: inTenant, path: '/alerts', component: page(tenant, 'TenantAlertsPage') }),
  createRoute({ getParentRoute: inTenant, path: '/activity', component: page(tenant, 'TenantActivityPage') }),
] as const;

export const customersRoutes = [
  createRoute({
    getParentRoute: shell,
    path: '/tenants',
    validateSearch: parseTenantsSearch,
    component: page(tenants, 'TenantsPage'),
  }),
  createRoute({
    getParentRoute: shell,
    path: '/why',
    validateSearch: parseWhySearch,
    component: page(why, 'WhyPage'),
  }),
  tenantRoute.addChildren([...tenantPages]),
] as const;

export const commerceRoutes = [
  createRoute({ getParentRoute: shell, path: '/offers', component: page(offers, 'OffersPage') }),
  createRoute({ getParentRoute: shell, path: '/offers/new', component: page(offers, 'OfferNewPage') }),
  createRoute({ getParentRoute: shell, path: '/offers/$offerKey', component: page(offers, 'OfferPage') }),
  createRoute({
    getParentRoute: shell,
    path: '/purchases',
    validateSearch: parsePurchasesSearch,
    component: page(purchases, 'PurchasesPage'),
  }),
  createRoute({
    getParentRoute: shell,
    path: '/purchases/$purchaseId',
    component: page(purchases, 'PurchasePage'),
  }),
  createRoute({
    getParentRoute: shell,
    path: '/quota-requests',
    validateSearch: parseRequestsSearch,
    component: page(quotaRequests, 'QuotaRequestsPage'),
  }),
] as const;

export const operationsRoutes = [
  createRoute({ getParentRoute: shell, path: '/account', component: page(access, 'AccountSecurityPage') }),
  createRoute({ getParentRoute: shell, path: '/nodes', component: page(operations, 'NodesPage') }),
  createRoute({
    getParentRoute: shell,
    path: '/revisions',
    validateSearch: parseRevisionsSearch,
    component: page(operations, 'RevisionsPage'),
  }),
  createRoute({
    getParentRoute: shell,
    path: '/audit',
    validateSearch: parseAuditSearch,
    component: page(audit, 'AuditPage'),
  }),
  createRoute({ getParentRoute: shell, path: '/webhooks', component: page(webhooks, 'WebhooksPage') }),
  createRoute({
    getParentRoute: shell,
    path: '/webhooks/$endpointId',
    component: page(webhooks, 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: shell,
    path: '/jobs',
    validateSearch: parseJobsSearch,
    component: page(operations, 'JobsPage'),
  }),
  createRoute({ getParentRoute: shell, path: '/settings', component: page(operations, 'CompanyPage') }),
  createRoute({ getParentRoute: shell, path: '/team', component: page(access, 'TeamPage') }),
  createRoute({
    getParentRoute: shell,
    path: '/service-tokens',
    component: page(access, 'ServiceTokensPage'),
  }),
] as const;
