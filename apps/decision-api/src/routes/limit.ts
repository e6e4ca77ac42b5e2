import {
  denialProblem,
  type LimitAnswer,
  limitRequestSchema,
  limitsQuerySchema,
  PROBLEM_CONTENT_TYPE,
  parseBody,
  rateLimitHeaders,
} from '@tollgate/contracts';
import { type DecisionPlane } from '@tollgate/decision-plane';
import { callerKeyOf } from '../auth.js';
import type { DenialLinks } from '../denial-links.js';
import { readCall } from '../http/request-body.js';
import { decisionRoute, type Route, respond, respondJson, withSpreadRetry } from '../http/route.js';

/** With `?status=http`, a denied request has its own status and a problem body that includes the decision. */
export function limitRoute(plane: DecisionPlane, links: DenialLinks): Route {
  return decisionRoute('/v1/limit', async (request, response, query, metrics) => {
    const call = await readCall(request, limitRequestSchema);
    const answer = links.add(call, withSpreadRetry(await plane.limit(call)));
    metrics.decided(call.api, answer);
    const headers = rateLimitHeaders(answer, Date.now(), plane.headerStyles(call.api));
    if (answer.success || query.get('status') !== 'http') {
      respondJson(response, 200, answer, headers);
      return;
    }
    const denial = denialProblem(answer);
    const text = JSON.stringify({ ...denial, ...answer } satisfies typeof denial & LimitAnswer);
    respond(response, denial.status, PROBLEM_CONTENT_TYPE, text, headers);
  });
}

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

const ownLimitsQuerySchema = limitsQuerySchema.omit({ tenant: true });

/** `GET /v1/limits?tenant=…&api=…`: the effective limits. An API key in the headers replaces `tenant`. */
export function limitsRoute(plane: DecisionPlane): Route {
  return {
    method: 'GET',
    path: '/v1/limits',
    scope: 'decide',
    takesKey: true,
    async handle(request, response, query) {
      const key = callerKeyOf(request);
      const parameters = Object.fromEntries(query);
      if (key !== undefined) {
        const { api } = parseBody(ownLimitsQuerySchema, parameters);
        respondJson(response, 200, await plane.limitsOfKey(key, api));
        return;
      }
      const { tenant, api } = parseBody(limitsQuerySchema, parameters);
      respondJson(response, 200, await plane.limitsOf(tenant, api));
    },
  };
}
