import { limitRequestSchema, rateLimitHeaders } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { readCall } from '../http/read-call.js';
import { respondJson } from '../http/respond.js';
import type { Route } from './route.js';

/** `POST /v1/peek`: what `/v1/limit` would answer now, and nothing charged. */
export function peekRoute(plane: DecisionPlane): Route {
  return {
    method: 'POST',
    path: '/v1/peek',
    scope: 'decide',
    async handle(request, response) {
      const call = await readCall(request, limitRequestSchema);
      const answer = await plane.peek(call);
      const headers = rateLimitHeaders(answer, Date.now(), plane.headerStyles(call.api));
      respondJson(response, 200, answer, headers);
    },
  };
}
