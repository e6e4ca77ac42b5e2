import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

/** Whose rows the database shows: everybody's, or those of these tenants (ids); none before it is known who asks. */
export type TenantScope = 'all' | readonly string[];

/**
 * A tenant scope, or a narrow one for lookups before the caller is known: `accounts` (sign-in and
 * credentials), `requests` (idempotency keys).
 */
export type Scope = TenantScope | 'accounts' | 'requests';

interface Holder {
  scope: Scope;
}

const storage = new AsyncLocalStorage<Holder>();

/** Runs `work` on the rows of `scope`. */
export function runInScope<T>(scope: Scope, work: () => PromiseLike<T>): Promise<T> {
  // Awaited inside: Prisma starts a statement only when it is waited for.
  return storage.run({ scope }, async () => await work());
}

/** The scope of a request that is to come: nobody's rows, until `narrowScope` says whose. */
export function newRequestScope(): Holder {
  return { scope: [] };
}

/** Runs `work` and everything it starts in a request's scope. */
export function runInRequest<T>(holder: Holder, work: () => T): T {
  return storage.run(holder, work);
}

/** From here on the request that runs sees the rows of `scope`. Outside of a request it does nothing. */
export function setRequestScope(scope: TenantScope): void {
  const holder = storage.getStore();
  if (holder !== undefined) holder.scope = scope;
}

/** Code outside of requests (jobs, setup, relay) sees all rows. */
export function currentScope(): Scope {
  return storage.getStore()?.scope ?? 'all';
}

/**
 * Gives every request an own scope without rows until the guard has identified the caller. It is entered again after
 * the body is read, because socket callbacks do not run in the context of the first hook.
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
