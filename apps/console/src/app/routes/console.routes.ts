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
import { page, pagesOf, shellRoute } from './root.routes.js';

const live = () => import('../pages/live.page.js');
const apis = () => import('../pages/apis.pages.js');
const tiers = () => import('../pages/tiers.pages.js');
const subjectRules = () => import('../pages/subject-rules.page.js');
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

const shell = pagesOf(() => shellRoute);

export const overviewRoutes = [
  shell.withSearch('/', parseTrafficView, HomePage),
  shell.at('/live', page(live, 'LivePage')),
  shell.withSearch('/notices', parseNoticesSearch, page(operations, 'NoticesPage')),
  shell.at('$', NotFoundPage),
] as const;

export const policyRoutes = [
  shell.at('/apis', page(apis, 'ApisPage')),
  shell.at('/apis/$apiKey', page(apis, 'ApiPage')),
  shell.at('/tiers', page(tiers, 'TiersPage')),
  shell.withSearch('/tiers/compare', parseTierCompareSearch, page(tiers, 'TierComparePage')),
  shell.at('/tiers/$tierKey', page(tiers, 'TierPage')),
  shell.at('/subject-rules', page(subjectRules, 'SubjectRulesPage')),
  shell.at('/change-sets', page(changeSets, 'ChangeSetsPage')),
  shell.at('/change-sets/$changeSetId', page(changeSets, 'ChangeSetPage')),
] as const;

const tenantRoute = shell.at('/tenants/$tenantKey', page(tenant, 'TenantPage'));
const inTenant = pagesOf(() => tenantRoute);

const tenantPages = [
  inTenant.at('/', page(tenant, 'TenantLimitsPage')),
  inTenant.withSearch('/usage', parseUsageView, page(tenant, 'TenantUsagePage')),
  inTenant.at('/purchases', page(tenant, 'TenantPurchasesPage')),
  inTenant.at('/exceptions', page(tenant, 'TenantExceptionsPage')),
  inTenant.at('/keys', page(tenant, 'TenantKeysPage')),
  inTenant.at('/people', page(tenant, 'TenantPeoplePage')),
  inTenant.at('/alerts', page(tenant, 'TenantAlertsPage')),
  inTenant.at('/activity', page(tenant, 'TenantActivityPage')),
] as const;

export const customersRoutes = [
  shell.withSearch('/tenants', parseTenantsSearch, page(tenants, 'TenantsPage')),
  shell.withSearch('/why', parseWhySearch, page(why, 'WhyPage')),
  tenantRoute.addChildren([...tenantPages]),
] as const;

export const commerceRoutes = [
  shell.at('/offers', page(offers, 'OffersPage')),
  shell.at('/offers/new', page(offers, 'OfferNewPage')),
  shell.at('/offers/$offerKey', page(offers, 'OfferPage')),
  shell.withSearch('/purchases', parsePurchasesSearch, page(purchases, 'PurchasesPage')),
  shell.at('/purchases/$purchaseId', page(purchases, 'PurchasePage')),
  shell.withSearch('/quota-requests', parseRequestsSearch, page(quotaRequests, 'QuotaRequestsPage')),
] as const;

export const operationsRoutes = [
  shell.at('/account', page(access, 'AccountSecurityPage')),
  shell.at('/nodes', page(operations, 'NodesPage')),
  shell.withSearch('/revisions', parseRevisionsSearch, page(operations, 'RevisionsPage')),
  shell.withSearch('/audit', parseAuditSearch, page(audit, 'AuditPage')),
  shell.at('/webhooks', page(webhooks, 'WebhooksPage')),
  shell.at('/webhooks/$endpointId', page(webhooks, 'WebhookPage')),
  shell.withSearch('/jobs', parseJobsSearch, page(operations, 'JobsPage')),
  shell.at('/settings', page(operations, 'CompanyPage')),
  shell.at('/team', page(access, 'TeamPage')),
  shell.at('/service-tokens', page(access, 'ServiceTokensPage')),
] as const;
