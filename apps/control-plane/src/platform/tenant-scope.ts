import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

/** Tenants (ids) whose rows the database shows. */
export type TenantScope = 'all' | readonly string[];

/** `accounts` (sign-in and credentials) and `requests` (idempotency keys) are for lookups before the caller is known. */
export type Scope = TenantScope | 'accounts' | 'requests';

interface Holder {
  scope: Scope;
}

const storage = new AsyncLocalStorage<Holder>();

export function runInScope<T>(scope: Scope, work: () => PromiseLike<T>): Promise<T> {
  // Prisma starts a statement only when it is awaited.
  return storage.run({ scope }, async () => await work());
}

/** The initial scope of a request: no rows. */
export function newRequestScope(): Holder {
  return { scope: [] };
}

export function runInRequest<T>(holder: Holder, work: () => T): T {
  return storage.run(holder, work);
}

/** Sets the scope of the current request; without effect outside of a request. */
export function setRequestScope(scope: TenantScope): void {
  const holder = storage.getStore();
  if (holder !== undefined) holder.scope = scope;
}

/** Code outside of requests (jobs, setup, relay) sees all rows. */
export function currentScope(): Scope {
  return storage.getStore()?.scope ?? 'all';
}

/**
 * Gives each request its own scope. It is entered again after the body is read, because socket callbacks do not run in
 * the context of the first hook.
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
