import type { IncomingMessage } from 'node:http';
import {
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
import type { DenialLinks } from '../denial-links.js';
import { readBatch, readCall, readJsonBody } from '../http/request-body.js';
import { decisionRoute, explained, type Route, respondJson, withSpreadRetry } from '../http/route.js';

export function verbRoutes(plane: DecisionPlane, links: DenialLinks): Route[] {
  return [
    batchRoute(plane, links),
    reserveRoute(plane, links),
    verb('/v1/settle', call(settleRequestSchema), (body) => plane.settle(body)),
    verb('/v1/release', call(receiptRequestSchema), (body) => plane.release(body)),
    verb('/v1/renew', call(receiptRequestSchema), (body) => plane.renew(body)),
    verb('/v1/refund', call(refundRequestSchema), (body) => plane.refund(body)),
    verb('/v1/report', call(reportRequestSchema), (body) => plane.reportOutcome(body)),
    verb(
      '/v1/reset',
      (request) => readJsonBody(request, resetRequestSchema),
      (body) => plane.reset(body),
      'reset',
    ),
    verb(
      '/v1/capacity',
      (request) => readJsonBody(request, capacityReportSchema),
      async (body) => {
        plane.reportCapacity(body);
        return { status: 'applied', revision: plane.revision };
      },
    ),
  ];
}

/** Decides up to 1,000 independent requests; one answer or problem per item, in order. */
function batchRoute(plane: DecisionPlane, links: DenialLinks): Route {
  return decisionRoute('/v1/limit/batch', async (request, response, _query, metrics) => {
    const items = await readBatch(request);
    const answers = await plane.limitMany(items);
    const written = answers.map((answer, i) => {
      if ('success' in answer) {
        const item = items[i] as (typeof items)[number];
        metrics.decided(item.api, answer);
        return links.add(item, withSpreadRetry(answer));
      }
      metrics.undecided(answer);
      return explained(answer);
    });
    respondJson(response, 200, { answers: written });
  });
}

function reserveRoute(plane: DecisionPlane, links: DenialLinks): Route {
  return decisionRoute('/v1/reserve', async (request, response, _query, metrics) => {
    const body = await readCall(request, reserveRequestSchema);
    const answer = await plane.reserve(body);
    metrics.decided(body.api, answer);
    respondJson(response, 200, { ...links.add(body, withSpreadRetry(answer)), expiresAt: answer.expiresAt });
  });
}

/** The body names `tenant` or sends one of the tenant's API keys. */
function call<T extends { tenant: string }>(schema: z.ZodType<T>) {
  return (request: IncomingMessage) => readCall(request, schema);
}

/** Responds 503 if the counters are unavailable, so that callers can retry. */
function verb<T>(
  path: string,
  read: (request: IncomingMessage) => Promise<T>,
  run: (body: T) => Promise<object & { status?: string }>,
  scope: Route['scope'] = 'decide',
): Route {
  return {
    method: 'POST',
    path,
    scope,
    async handle(request, response) {
      const answer = await run(await read(request));
      respondJson(response, answer.status === 'unavailable' ? 503 : 200, answer);
    },
  };
}
