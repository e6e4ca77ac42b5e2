import {
  type LimitAnswer,
  limitRequestSchema,
  PROBLEM_CONTENT_TYPE,
  rateLimitHeaders,
  refusalOf,
} from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { answerJson } from '../http/answer-json.js';
import { readCall } from '../http/read-call.js';
import { JSON_CONTENT_TYPE, respond } from '../http/respond.js';
import { withSpreadRetry } from '../http/spread-retry.js';
import type { DoorMetrics } from '../metrics/door-metrics.js';
import type { Route } from './route.js';

/**
 * `POST /v1/limit`: decides and charges; 200 with the decision. With `?status=http` a refusal has a status of its own, and
 * is a problem that has all of the decision's members too.
 */
export function limitRoute(plane: DecisionPlane, metrics: DoorMetrics): Route {
  return {
    method: 'POST',
    path: '/v1/limit',
    scope: 'decide',
    async handle(request, response, query) {
      const call = await readCall(request, limitRequestSchema);
      const answer = withSpreadRetry(await plane.limit(call));
      metrics.decided(answer);
      const headers = rateLimitHeaders(answer, Date.now(), plane.headerStyles(call.api));
      if (answer.success || query.get('status') !== 'http') {
        respond(response, 200, JSON_CONTENT_TYPE, answerJson(answer), headers);
        return;
      }
      const refusal = refusalOf(answer);
      const text = JSON.stringify({ ...refusal, ...answer } satisfies typeof refusal & LimitAnswer);
      respond(response, refusal.status, PROBLEM_CONTENT_TYPE, text, headers);
    },
  };
}
