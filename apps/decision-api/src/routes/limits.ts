import { limitsQuerySchema } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { callerKeyOf } from '../auth/caller-key.js';
import { parseInput } from '../http/read-body.js';
import { respondJson } from '../http/respond.js';
import type { Route } from './route.js';

const ownLimitsQuerySchema = limitsQuerySchema.omit({ tenant: true });

/**
 * `GET /v1/limits?tenant=…&api=…`: the limits that apply, each with a sentence that says what it does. With an API key in
 * the header it is `?api=…`: the caller's own.
 */
export function limitsRoute(plane: DecisionPlane): Route {
  return {
    method: 'GET',
    path: '/v1/limits',
    scope: 'decide',
    takesKey: true,
    async handle(request, response, query) {
      const key = callerKeyOf(request);
      const asked = Object.fromEntries(query);
      if (key !== undefined) {
        const { api } = parseInput(ownLimitsQuerySchema, asked);
        respondJson(response, 200, await plane.limitsOfKey(key, api));
        return;
      }
      const { tenant, api } = parseInput(limitsQuerySchema, asked);
      respondJson(response, 200, await plane.limitsOf(tenant, api));
    },
  };
}
