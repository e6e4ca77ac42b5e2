import { type Admission, type ShedReason } from '@tollgate/logging';
import type { FastifyInstance } from 'fastify';
import { overloaded, STATUS_OF_API_ERROR } from '../api-error.js';
import { GRAPHQL_PATH, isForGraphql } from './http-server.js';

/** Seconds. */
const RETRY_AFTER = 1;

/**
 * Sheds GraphQL requests unread while the process has too many in flight or its event loop lags: they are the load. Probes, payment
 * webhooks, sign-in and the console's files are always answered, and jobs such as the policy relay always run. Call it before
 * routes are added.
 */
export function shedRequests(
  fastify: FastifyInstance,
  admission: Admission,
  onShed: (reason: ShedReason) => void,
): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (!isForGraphql(request)) return;
    // A stream stays open for hours: it is no work in flight.
    const isStream = request.routeOptions.url !== GRAPHQL_PATH;
    const reason = isStream ? admission.shedReason() : admission.enter();
    if (reason === undefined) {
      if (!isStream) reply.raw.once('close', () => admission.leave());
      return;
    }
    onShed(reason);
    const { code, message } = overloaded(`The control plane is overloaded. Try again in ${RETRY_AFTER} s.`);
    return reply
      .status(STATUS_OF_API_ERROR[code])
      .header('Retry-After', String(RETRY_AFTER))
      .send({ errors: [{ message, extensions: { code, retryAfter: RETRY_AFTER, requestId: request.id } }] });
  });
}
