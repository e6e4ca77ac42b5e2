import { TollgateError } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import type { Admission } from '@tollgate/logging';
import type { TokenVerifier } from '../auth.js';
import { yieldToEventLoop } from '../http/admission.js';
import type { ServerMetrics } from '../metrics/metrics.js';
import { OVERLOADED } from './grpc/protocol.js';
import type { Method, Methods, StreamMethod } from './grpc/server.js';
import type { Health } from './health.js';
import { decodeRequest, encodeResponse } from './messages.js';
import type { RateLimitService } from './rate-limit-service.js';
import { Reflection } from './reflection.js';

const RATE_LIMIT_SERVICE = 'envoy.service.ratelimit.v3.RateLimitService';
export const SERVICES: ReadonlySet<string> = new Set([RATE_LIMIT_SERVICE]);

export interface RlsMethodsParts {
  plane: Pick<DecisionPlane, 'ready'>;
  verifier: TokenVerifier;
  service: RateLimitService;
  health: Health;
  admission: Admission;
  metrics: ServerMetrics;
  reflection?: boolean;
}

/** The rate limit service requires a service token; health and reflection are open. */
export function rlsMethods(parts: RlsMethodsParts): Methods {
  const { plane, verifier, service, health, admission, metrics } = parts;
  const path = `/${RATE_LIMIT_SERVICE}/ShouldRateLimit`;
  const counted = metrics.route(path, true);
  const methods = new Map<string, Method>([
    [
      path,
      {
        kind: 'unary',
        authorize: (headers) => {
          if (!plane.ready) throw new TollgateError('not-ready');
          verifier.verify({ headers }, 'decide');
        },
        shedReason: () => admission.shedReason(),
        metrics: counted,
        handle: async (message, recorded = counted) => {
          // The limit was checked when the headers arrived; check again now that the body is complete.
          const shedReason = admission.enter();
          if (shedReason !== undefined) {
            metrics.shed(shedReason);
            throw OVERLOADED;
          }
          try {
            await yieldToEventLoop();
            return encodeResponse(await service.decide(decodeRequest(message), recorded));
          } finally {
            // In flight until the decision is made, even if the caller has disconnected.
            admission.leave();
          }
        },
      },
    ],
    ['/grpc.health.v1.Health/Check', { kind: 'unary', handle: (message) => health.check(message) }],
    [
      '/grpc.health.v1.Health/Watch',
      { kind: 'watch', handle: (message, send) => health.watch(message, send) },
    ],
  ]);
  if (parts.reflection === false) return methods;
  const reflection = new Reflection();
  const reflect: StreamMethod = { kind: 'stream', handle: (message) => reflection.answer(message) };
  for (const version of ['v1', 'v1alpha'])
    methods.set(`/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`, reflect);
  return methods;
}
