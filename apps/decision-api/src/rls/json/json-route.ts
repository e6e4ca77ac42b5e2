import { readJsonBody } from '../../http/read-body.js';
import { respondJson } from '../../http/respond.js';
import type { Route } from '../../routes/route.js';
import { CODE } from '../messages.js';
import type { RateLimitService } from '../rate-limit-service.js';
import { requestJsonSchema } from './request-json.js';
import { responseJson } from './response-json.js';

/** `POST /json`: the gRPC question as JSON, as envoyproxy/ratelimit has it. 200 when allowed, 429 when over the limit. */
export function jsonRoute(service: RateLimitService): Route {
  return {
    method: 'POST',
    path: '/json',
    scope: 'decide',
    handle: async (request, response) => {
      const answer = await service.decide(await readJsonBody(request, requestJsonSchema));
      const status = answer.overallCode === CODE.OK ? 200 : 429;
      // What Envoy would tell the client of the body that it makes: this one is JSON either way.
      const { 'Content-Type': _, ...headers } = answer.responseHeaders;
      respondJson(response, status, responseJson(answer), headers);
    },
  };
}
