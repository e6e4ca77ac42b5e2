import type { IncomingMessage } from 'node:http';
import {
  type Called,
  type LimitAnswer,
  type LimitRequest,
  PROBLEM_CONTENT_TYPE,
  rateLimitHeaders,
  refusalOf,
  TollgateError,
} from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { callerKeyOf } from '../auth/caller-key.js';
import { clientAddress, type TrustedHops } from '../forward-auth/client-address.js';
import { type Dialect, ENVOY, NGINX, pathOf, TRAEFIK } from '../forward-auth/dialects.js';
import { readParameters, subjectOf } from '../forward-auth/parameters.js';
import { respond } from '../http/respond.js';
import { withSpreadRetry } from '../http/spread-retry.js';
import type { DoorMetrics } from '../metrics/door-metrics.js';
import type { Route } from './route.js';

/**
 * `/v1/forward-auth/{nginx|traefik|envoy}`: a proxy asks whether it may let a request through. 200 lets it; a refusal is
 * answered so that the client gets its own status, 429 mostly.
 */
export function forwardAuthRoutes(plane: DecisionPlane, metrics: DoorMetrics, trusted: TrustedHops): Route[] {
  return [NGINX, TRAEFIK, ENVOY].map((dialect) => ({
    method: '*',
    path: pathOf(dialect),
    scope: 'decide',
    async handle(request, response) {
      const asked = requestOf(request, dialect, trusted);
      const answer = withSpreadRetry(await plane.limit(asked));
      metrics.decided(answer);
      const headers = rateLimitHeaders(answer, Date.now(), plane.headerStyles(asked.api));
      headers['X-Tollgate-Request-Id'] = answer.requestId;
      if (answer.degraded) headers['X-Tollgate-Degraded'] = 'true';
      if (answer.success) {
        if (answer.delayMs > 0) headers['X-Tollgate-Delay-Ms'] = String(answer.delayMs);
        respond(response, 200, 'text/plain; charset=utf-8', '', headers);
        return;
      }
      const refusal = refusalOf(answer, { status: statusOf(answer) });
      headers['X-Tollgate-Status'] = String(refusal.status);
      const status = dialect.statusFor(refusal.status);
      respond(response, status, PROBLEM_CONTENT_TYPE, JSON.stringify(refusal), headers);
    },
  }));
}

/** Never 5xx: proxies take that for a failure of ours, and some let pass what was refused. */
function statusOf({ reason }: LimitAnswer): number {
  return reason === 'BLOCKED' ? 403 : 429;
}

function requestOf(request: IncomingMessage, dialect: Dialect, trusted: TrustedHops): Called<LimitRequest> {
  const parameters = readParameters(dialect.parametersOf(request));
  const { api, operation, tenant, cost } = parameters;
  const forwardedFor = request.headers['x-forwarded-for'];
  const peer = request.socket.remoteAddress ?? '';
  const ip = clientAddress(typeof forwardedFor === 'string' ? forwardedFor : undefined, peer, trusted);
  const call = {
    api,
    operation,
    subject: subjectOf(parameters, request.headers, ip),
    ...(cost === undefined ? {} : { cost }),
  };
  if (tenant !== undefined) return { ...call, tenant };
  const key = callerKeyOf(request);
  if (key === undefined) throw new TollgateError('key-missing');
  return { ...call, key };
}
