import { type Admission, type ShedReason } from '@tollgate/logging';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { overloaded, STATUS_OF_API_ERROR } from '../api-error.js';
import { GRAPHQL_STREAM_PATH, isForGraphql } from './http-server.js';

/** Seconds. */
const RETRY_AFTER = 1;

/**
 * Sheds GraphQL requests while the process has too many in flight or its event loop lags: they are the load. Probes, payment
 * webhooks, sign-in and the console's files are always answered, and jobs such as the policy relay always run. Call it before
 * routes are added, and after the hooks that charge requests.
 */
export function shedRequests(
  fastify: FastifyInstance,
  admission: Admission,
  onShed: (reason: ShedReason) => void,
): void {
  const inFlight = new WeakSet<FastifyRequest>();
  const shed = (reason: ShedReason, request: FastifyRequest, reply: FastifyReply) => {
    onShed(reason);
    const { code, message } = overloaded(`The control plane is overloaded. Try again in ${RETRY_AFTER} s.`);
    return reply
      .status(STATUS_OF_API_ERROR[code])
      .header('Retry-After', String(RETRY_AFTER))
      .send({ errors: [{ message, extensions: { code, retryAfter: RETRY_AFTER, requestId: request.id } }] });
  };
  fastify.addHook('onRequest', async (request, reply) => {
    const reason = isForGraphql(request) ? admission.shedReason() : undefined;
    if (reason !== undefined) return shed(reason, request, reply);
  });
  // Once the body is complete and paid for: a caller that sends half a body takes no place.
  fastify.addHook('preValidation', async (request, reply) => {
    // A stream stays open for hours: it is no work in flight.
    if (!isForGraphql(request) || request.routeOptions.url === GRAPHQL_STREAM_PATH) return;
    const reason = admission.enter();
    if (reason !== undefined) return shed(reason, request, reply);
    inFlight.add(request);
  });
  // Also called for errors, and after a caller has left: its statements run until then.
  fastify.addHook('onSend', async (request) => {
    if (inFlight.delete(request)) admission.leave();
  });
}
