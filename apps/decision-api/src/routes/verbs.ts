import type { IncomingMessage } from 'node:http';
import {
  type Called,
  capacityReportSchema,
  receiptRequestSchema,
  refundRequestSchema,
  reportRequestSchema,
  reserveRequestSchema,
  resetRequestSchema,
  settleRequestSchema,
} from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import type * as z from 'zod';
import { answerJson, withSpreadRetry } from '../http/answer.js';
import { readBatch, readCall, readJsonBody } from '../http/request-body.js';
import { explained, JSON_CONTENT_TYPE, respond, respondJson } from '../http/respond.js';
import type { Route } from '../http/route-table.js';
import type { ServerMetrics } from '../metrics/metrics.js';

/** All operations except single decisions: each takes and returns JSON. */
export function verbRoutes(plane: DecisionPlane, metrics: ServerMetrics): Route[] {
  return [
    batchRoute(plane, metrics),
    callVerb('/v1/reserve', reserveRequestSchema, async (body) => {
      const answer = await plane.reserve(body);
      metrics.decided(answer);
      return { ...withSpreadRetry(answer), expiresAt: answer.expiresAt };
    }),
    callVerb('/v1/settle', settleRequestSchema, (body) => plane.settle(body)),
    callVerb('/v1/release', receiptRequestSchema, (body) => plane.release(body)),
    callVerb('/v1/renew', receiptRequestSchema, (body) => plane.renew(body)),
    callVerb('/v1/refund', refundRequestSchema, (body) => plane.refund(body)),
    callVerb('/v1/report', reportRequestSchema, (body) => plane.reportOutcome(body)),
    verb('/v1/reset', resetRequestSchema, (body) => plane.reset(body), 'reset'),
    verb('/v1/capacity', capacityReportSchema, async (body) => {
      plane.reportCapacity(body);
      return { status: 'applied', revision: plane.revision };
    }),
  ];
}

/** `POST /v1/limit/batch`: decides up to 1,000 independent requests; one answer or problem per item, in order. */
function batchRoute(plane: DecisionPlane, metrics: ServerMetrics): Route {
  return {
    method: 'POST',
    path: '/v1/limit/batch',
    scope: 'decide',
    async handle(request, response) {
      const answers = await plane.limitMany(await readBatch(request));
      for (const answer of answers) if ('success' in answer) metrics.decided(answer);
      const texts = answers.map((answer) =>
        'success' in answer ? answerJson(withSpreadRetry(answer)) : JSON.stringify(explained(answer)),
      );
      respond(response, 200, JSON_CONTENT_TYPE, `{"answers":[${texts.join(',')}]}`);
    },
  };
}

/** An operation on a tenant's charges: the body has `tenant` or one of the tenant's API keys. */
function callVerb<T extends { tenant: string }>(
  path: string,
  schema: z.ZodType<T>,
  run: (body: Called<T>) => Promise<object & { status?: string }>,
): Route {
  return verbRoute(path, 'decide', async (request) => run(await readCall(request, schema)));
}

function verb<T>(
  path: string,
  schema: z.ZodType<T>,
  run: (body: T) => Promise<object & { status?: string }>,
  scope: Route['scope'] = 'decide',
): Route {
  return verbRoute(path, scope, async (request) => run(await readJsonBody(request, schema)));
}

/** Responds 200, or 503 if the counters are unavailable, so that callers can choose to retry. */
function verbRoute(
  path: string,
  scope: Route['scope'],
  run: (request: IncomingMessage) => Promise<object & { status?: string }>,
): Route {
  return {
    method: 'POST',
    path,
    scope,
    async handle(request, response) {
      const answer = await run(request);
      respondJson(response, answer.status === 'unavailable' ? 503 : 200, answer);
    },
  };
}
