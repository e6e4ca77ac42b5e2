import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { NotFoundPage } from '../pages/not-found.page.js';
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
  component: lazyRouteComponent(() => import('../pages/notices.page.js'), 'NoticesPage'),
});

/** Addresses that name nothing, still inside the frame. */
const notFoundRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage });

export const overviewRoutes = [homeRoute, liveRoute, noticesRoute, notFoundRoute] as const;
