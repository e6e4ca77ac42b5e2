import { TollgateError } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import type { Drain } from '../http/drain.js';
import { respondJson } from '../http/respond.js';
import type { Route } from './route.js';

/** `GET /healthz`: the process lives. */
export function healthRoute(): Route {
  return {
    method: 'GET',
    path: '/healthz',
    scope: null,
    handle: (_request, response) => respondJson(response, 200, { status: 'ok' }),
  };
}

/**
 * `GET /readyz`: there is a policy to decide by; from disk alone is enough. Its age says how current it is. Fails from the
 * moment at which the process begins to end, while it still serves.
 */
export function readyRoute(plane: DecisionPlane, drain: Drain): Route {
  return {
    method: 'GET',
    path: '/readyz',
    scope: null,
    handle(_request, response) {
      if (drain.isDraining) throw new TollgateError('draining');
      if (!plane.ready) throw new TollgateError('not-ready');
      const { revision, degraded, policyAgeMs, policyStale } = plane;
      respondJson(response, 200, { status: 'ready', revision, degraded, policyAgeMs, policyStale });
    },
  };
}
