import { AsyncLocalStorage } from 'node:async_hooks';
import { traceIdOf } from '@tollgate/logging';
import type { FastifyInstance } from 'fastify';

/** Tenants (ids) whose rows the database shows. */
export type TenantScope = 'all' | readonly string[];

/** `accounts` (sign-in and credentials) and `requests` (idempotency keys) are for lookups before the caller is known. */
export type Scope = TenantScope | 'accounts' | 'requests';

/** Ids of the current request or job in log lines. */
interface LogFields {
  readonly requestId?: string;
  readonly traceId?: string;
  readonly job?: string;
}

interface Holder {
  scope: Scope;
  readonly logFields: LogFields;
  /** Root fields of the GraphQL operation; undefined before it is known, and for other requests. */
  operation?: string;
  /** Whether it is a GraphQL query, which only reads. */
  isQuery?: boolean;
}

const storage = new AsyncLocalStorage<Holder>();

/** @param logFields default: those of the caller */
export function runInScope<T>(
  scope: Scope,
  work: () => PromiseLike<T>,
  logFields: LogFields = currentLogFields(),
): Promise<T> {
  const operation = storage.getStore()?.operation;
  // Prisma starts a statement only when it is awaited.
  return storage.run({ scope, logFields, ...(operation && { operation }) }, async () => await work());
}

const NO_FIELDS: LogFields = {};

export function currentLogFields(): LogFields {
  return storage.getStore()?.logFields ?? NO_FIELDS;
}

/** The initial scope of a request: no rows. */
export function newRequestScope(logFields: LogFields = NO_FIELDS): Holder {
  return { scope: [], logFields };
}

export function runInRequest<T>(holder: Holder, work: () => T): T {
  return storage.run(holder, work);
}

/** Sets the scope of the current request; without effect outside of a request. */
export function setRequestScope(scope: TenantScope): void {
  const holder = storage.getStore();
  if (holder !== undefined) holder.scope = scope;
}

/** Names the operation of the current request; without effect outside of a request. */
export function setRequestOperation(operation: string, isQuery: boolean): void {
  const holder = storage.getStore();
  if (holder !== undefined) Object.assign(holder, { operation, isQuery });
}

/** Identifies the current GraphQL query; undefined for other work, and in another scope than that of the request. */
export function currentQuery(): object | undefined {
  const holder = storage.getStore();
  return holder?.isQuery === true ? holder : undefined;
}

export type KindOfWork = 'request' | 'job' | 'other';

/** What the database works for, and the operation whose connections are bounded; outside of requests and jobs none. */
export function currentWork(): { kind: KindOfWork; operation: string | undefined } {
  const { logFields = NO_FIELDS, operation } = storage.getStore() ?? {};
  if (logFields.job !== undefined) return { kind: 'job', operation: `job ${logFields.job}` };
  return { kind: logFields.requestId === undefined ? 'other' : 'request', operation };
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
    const traceId = traceIdOf(request.headers.traceparent);
    const holder = newRequestScope({ requestId: request.id, ...(traceId && { traceId }) });
    holders.set(request, holder);
    runInRequest(holder, done);
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    runInRequest(holders.get(request) ?? newRequestScope(), done);
  });
}
