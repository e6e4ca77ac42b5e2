import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { parseTierCompareSearch } from '../search-params.js';
import { shellRoute } from './root.routes.js';

const apisRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/apis',
  component: lazyRouteComponent(() => import('../pages/apis.page.js'), 'ApisPage'),
});

const apiRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/apis/$apiKey',
  component: lazyRouteComponent(() => import('../pages/api.page.js'), 'ApiPage'),
});

const tiersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tiers',
  component: lazyRouteComponent(() => import('../pages/tiers.page.js'), 'TiersPage'),
});

const tierRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tiers/$tierKey',
  component: lazyRouteComponent(() => import('../pages/tier.page.js'), 'TierPage'),
});

const tierCompareRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tiers/compare',
  validateSearch: parseTierCompareSearch,
  component: lazyRouteComponent(() => import('../pages/tier-compare.page.js'), 'TierComparePage'),
});

const changeSetsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/change-sets',
  component: lazyRouteComponent(() => import('../pages/change-sets.page.js'), 'ChangeSetsPage'),
});

const changeSetRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/change-sets/$changeSetId',
  component: lazyRouteComponent(() => import('../pages/change-set.page.js'), 'ChangeSetPage'),
});

/** What is limited, and how. */
export const policyRoutes = [
  apisRoute,
  apiRoute,
  tiersRoute,
  tierCompareRoute,
  tierRoute,
  changeSetsRoute,
  changeSetRoute,
] as const;
