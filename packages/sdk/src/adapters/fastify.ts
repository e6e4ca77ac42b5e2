import type { FastifyPluginCallback, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Decision } from '../client/decision.js';
import {
  type AnyCaller,
  checkGuardOptions,
  type GuardOptions,
  judge,
  type LimitOptions,
  PROBLEM_TYPE,
} from '../guard/guard.js';
import { endWithNodeResponse } from '../guard/request-end.js';

/** Options of a route: `config: { tollgate: { operation: 'checkout', cost: 5 } }`; false: not limited. */
export type RouteLimit = Partial<Omit<Options, 'client'>> | false;

type Options = LimitOptions<FastifyRequest> & AnyCaller<FastifyRequest>;

/** A limited route needs `tenant` or `key`, here or in its `config.tollgate`; otherwise its registration fails. */
export interface FastifyOptions extends Omit<Options, 'operation'> {
  /** Default: only routes with a `config.tollgate` are limited. */
  operation?: Options['operation'];
  /** Default `onRequest`. Use `preHandler` if option functions read the body. */
  hook?: 'onRequest' | 'preHandler';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    tollgate?: RouteLimit;
  }
  interface FastifyRequest {
    /** Null: the request was not checked. */
    tollgate: Decision | null;
  }
}

const plugin: FastifyPluginCallback<FastifyOptions> = (fastify, { hook = 'onRequest', ...all }, done) => {
  fastify.decorateRequest('tollgate', null);
  fastify.addHook('onRoute', (route) => {
    const options = optionsOf(all, route);
    if (options === undefined) return;
    const admit = (request: FastifyRequest, reply: FastifyReply) => admitRequest(options, request, reply);
    const before = route[hook];
    route[hook] = [
      ...(Array.isArray(before) ? before : before === undefined ? [] : [before]),
      admit,
    ] as never;
  });
  done();
};

function optionsOf(
  all: Omit<FastifyOptions, 'hook'>,
  route: RouteOptions,
): GuardOptions<FastifyRequest> | undefined {
  const own = route.config?.tollgate;
  if (own === false) return undefined;
  const { operation, ...options } = { ...all, ...own };
  if (operation === undefined) return undefined;
  const merged = { ...options, operation };
  checkGuardOptions(`tollgate, route ${route.url}`, merged);
  return merged as GuardOptions<FastifyRequest>;
}

async function admitRequest(
  options: GuardOptions<FastifyRequest>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const verdict = await judge(options, request, request.ip);
  if (verdict.pass) endWithNodeResponse(verdict.end, reply.raw);
  void reply.headers(verdict.headers);
  if (!verdict.pass) return reply.code(verdict.status).type(PROBLEM_TYPE).send(JSON.stringify(verdict.body));
  request.tollgate = verdict.decision;
  return undefined;
}

/**
 * Fastify plugin: `await app.register(tollgate, { client, tenant, api })` before the routes, then `config.tollgate`
 * on each. It also applies to routes outside its scope. The client address is `request.ip`: set `trustProxy` behind a
 * proxy.
 */
export const tollgate: FastifyPluginCallback<FastifyOptions> = Object.assign(plugin, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@tollgate/sdk',
});
