import type { FastifyInstance } from 'fastify';
import { newRequestScope, runInRequest } from './tenant-scope.js';

/**
 * Gives every request a scope of its own that shows no tenant's rows until the guard has established who asks. It is
 * entered again once the body is read: what the socket calls back does not run in the context of the first hook.
 */
export function scopeRequests(fastify: FastifyInstance): void {
  const holders = new WeakMap<object, ReturnType<typeof newRequestScope>>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const holder = newRequestScope();
    holders.set(request, holder);
    runInRequest(holder, done);
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    runInRequest(holders.get(request) ?? newRequestScope(), done);
  });
}
