import { respond } from '../http/respond.js';
import { EXPOSITION_CONTENT_TYPE, type Family, writeExposition } from '../metrics/exposition.js';
import type { Route } from './route.js';

/** `GET /metrics`: what Prometheus reads; of all processes behind the port, where there are several. */
export function metricsRoute(read: () => Family[] | Promise<Family[]>): Route {
  return {
    method: 'GET',
    path: '/metrics',
    scope: null,
    async handle(_request, response) {
      respond(response, 200, EXPOSITION_CONTENT_TYPE, writeExposition(await read()));
    },
  };
}
