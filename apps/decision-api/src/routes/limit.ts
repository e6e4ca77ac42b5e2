import { limitRequestSchema, rateLimitHeaders } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { readCall } from '../http/read-call.js';
import { respondJson } from '../http/respond.js';
import type { DoorMetrics } from '../metrics/door-metrics.js';
import type { Route } from './route.js';

/** `POST /v1/limit`: decides and charges; 200 with the decision, or 429 on a refusal with `?status=http`. */
export function limitRoute(plane: DecisionPlane, metrics: DoorMetrics): Route {
  return {
    method: 'POST',
    path: '/v1/limit',
    scope: 'decide',
    async handle(request, response, query) {
      const answer = await plane.limit(await readCall(request, limitRequestSchema));
      metrics.decided(answer);
      const status = !answer.success && query.get('status') === 'http' ? 429 : 200;
      respondJson(response, status, answer, rateLimitHeaders(answer, Date.now()));
    },
  };
}
