import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { parsePurchasesSearch, parseRequestsSearch } from '../commerce-search.js';
import { shellRoute } from './root.routes.js';

const offersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/offers',
  component: lazyRouteComponent(() => import('../pages/commerce/offers.page.js'), 'OffersPage'),
});

const offerNewRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/offers/new',
  component: lazyRouteComponent(() => import('../pages/commerce/offer-new.page.js'), 'OfferNewPage'),
});

const offerRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/offers/$offerKey',
  component: lazyRouteComponent(() => import('../pages/commerce/offer.page.js'), 'OfferPage'),
});

const purchasesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/purchases',
  validateSearch: parsePurchasesSearch,
  component: lazyRouteComponent(() => import('../pages/commerce/purchases.page.js'), 'PurchasesPage'),
});

const purchaseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/purchases/$purchaseId',
  component: lazyRouteComponent(() => import('../pages/commerce/purchase.page.js'), 'PurchasePage'),
});

const quotaRequestsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/quota-requests',
  validateSearch: parseRequestsSearch,
  component: lazyRouteComponent(
    () => import('../pages/commerce/quota-requests.page.js'),
    'QuotaRequestsPage',
  ),
});

/** What is sold, bought and asked for. */
export const commerceRoutes = [
  offersRoute,
  offerNewRoute,
  offerRoute,
  purchasesRoute,
  purchaseRoute,
  quotaRequestsRoute,
] as const;
