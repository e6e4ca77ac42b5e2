import { TollgateError } from '@tollgate/contracts';
import type { DecisionPlane } from '@tollgate/decision-plane';
import type { TokenVerifier } from '../auth/token-verifier.js';
import { turnEnd } from '../turn-end.js';
import { decodeRequest } from './decode-request.js';
import { encodeResponse } from './encode-response.js';
import { FRAME_HEAD, withFrameHead } from './grpc/framing.js';
import type { Method, Methods, StreamMethod } from './grpc/method.js';
import type { Health } from './health.js';
import type { RateLimitService } from './rate-limit-service.js';
import { Reflection } from './reflection/reflection.js';

const RATE_LIMIT_SERVICE = 'envoy.service.ratelimit.v3.RateLimitService';
/** What is asked after by health checks. */
export const SERVICES: ReadonlySet<string> = new Set([RATE_LIMIT_SERVICE]);

export interface RlsMethodsParts {
  plane: Pick<DecisionPlane, 'ready'>;
  verifier: TokenVerifier;
  service: RateLimitService;
  health: Health;
}

/** What this door answers: Envoy's question, which wants a service token, and probes and reflection, which do not. */
export function rlsMethods({ plane, verifier, service, health }: RlsMethodsParts): Methods {
  const reflection = new Reflection();
  const reflect: StreamMethod = { kind: 'stream', handle: (message) => reflection.answer(message) };
  return new Map<string, Method>([
    [
      `/${RATE_LIMIT_SERVICE}/ShouldRateLimit`,
      {
        kind: 'unary',
        authorize: (metadata) => {
          if (!plane.ready) throw new TollgateError('not-ready');
          verifier.verify(
            {
              headers: {
                authorization: metadata.get('authorization'),
                'x-tollgate-token': metadata.get('x-tollgate-token'),
              },
            },
            'decide',
          );
        },
        handle: async (message) => {
          await turnEnd();
          const response = await service.decide(decodeRequest(message));
          return withFrameHead(encodeResponse(response, FRAME_HEAD));
        },
      },
    ],
    [
      '/grpc.health.v1.Health/Check',
      {
        kind: 'unary',
        authorize: () => undefined,
        handle: (message) => health.check(message),
      },
    ],
    [
      '/grpc.health.v1.Health/Watch',
      { kind: 'watch', handle: (message, send) => health.watch(message, send) },
    ],
    ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', reflect],
    ['/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', reflect],
  ]);
}
