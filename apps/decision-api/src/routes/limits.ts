import { limitsQuerySchema } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { parseInput } from '../http/read-body.js';
import { respondJson } from '../http/respond.js';
import type { Route } from './route.js';

/** `GET /v1/limits?tenant=…&api=…`: the limits that apply, each with a sentence that says what it does. */
export function limitsRoute(plane: DecisionPlane): Route {
  return {
    method: 'GET',
    path: '/v1/limits',
    scope: 'decide',
    async handle(_request, response, query) {
      const { tenant, api } = parseInput(limitsQuerySchema, Object.fromEntries(query));
      respondJson(response, 200, await plane.limitsOf(tenant, api));
    },
  };
}
