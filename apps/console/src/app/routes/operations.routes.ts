import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { parseAuditSearch, parseRevisionsSearch } from '../search-params.js';
import { shellRoute } from './root.routes.js';

const nodesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/nodes',
  component: lazyRouteComponent(() => import('../pages/nodes.page.js'), 'NodesPage'),
});

const revisionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/revisions',
  validateSearch: parseRevisionsSearch,
  component: lazyRouteComponent(() => import('../pages/revisions.page.js'), 'RevisionsPage'),
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
  component: lazyRouteComponent(() => import('../pages/webhooks.page.js'), 'WebhooksPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$endpointId',
  component: lazyRouteComponent(() => import('../pages/webhook.page.js'), 'WebhookPage'),
});

const jobsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/jobs',
  component: lazyRouteComponent(() => import('../pages/jobs.page.js'), 'JobsPage'),
});

const teamRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/team',
  component: lazyRouteComponent(() => import('../pages/team.page.js'), 'TeamPage'),
});

const serviceTokensRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/service-tokens',
  component: lazyRouteComponent(() => import('../pages/service-tokens.page.js'), 'ServiceTokensPage'),
});

const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account-security.page.js'), 'AccountSecurityPage'),
});

/** What runs, what it has told, and who may reach it. */
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
