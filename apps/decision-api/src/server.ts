import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_CONTENT_TYPE, type ProblemCode, problem, TollgateError } from '@tollgate/contracts';
import type { Peppers } from '@tollgate/contracts/service-token';
import type { DecisionPlane } from '@tollgate/decision-plane';
import type { Logger } from 'pino';
import { callerKeyOf } from './auth/caller-key.js';
import { TokenVerifier } from './auth/token-verifier.js';
import { respondProblem } from './http/respond.js';
import { healthRoute, readyRoute } from './routes/health.js';
import { limitRoute } from './routes/limit.js';
import { limitsRoute } from './routes/limits.js';
import { peekRoute } from './routes/peek.js';
import type { Route } from './routes/route.js';
import { verbRoutes } from './routes/verbs.js';

export interface DecisionServerOptions {
  plane: DecisionPlane;
  /** Under which service tokens are checked, by version. */
  peppers: Peppers;
  logger: Logger;
}

/** The HTTP door over a decision plane: bare node:http, as a framework would cost more than a decision does. */
export function createDecisionServer({ plane, peppers, logger }: DecisionServerOptions): Server {
  const verifier = new TokenVerifier(peppers, (publicId) => plane.serviceToken(publicId));
  const routes = routeTable([
    limitRoute(plane),
    peekRoute(plane),
    ...verbRoutes(plane),
    limitsRoute(plane),
    healthRoute(),
    readyRoute(plane),
  ]);

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { path, query } = splitUrl(request.url ?? '/');
    const methods = routes.get(path);
    if (methods === undefined) throw new TollgateError('route-unknown');
    const route = methods.get(request.method ?? '');
    if (route === undefined) {
      response.setHeader('Allow', [...methods.keys()].join(', '));
      throw new TollgateError('method-not-allowed');
    }
    if (route.scope !== null) {
      if (!plane.ready) throw new TollgateError('not-ready');
      if (!(route.takesKey === true && callerKeyOf(request) !== undefined))
        verifier.verify(request, route.scope);
    }
    await route.handle(request, response, query);
  };

  const server = createServer(
    {
      keepAliveTimeout: 65_000,
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      // Node looks for slow requests only so often; by default they live for up to 30 s longer.
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      // Closed for new connections: a busy one that stays open would hold up the end.
      if (!server.listening) response.setHeader('Connection', 'close');
      handle(request, response).catch((error: unknown) => respondError(request, response, error, logger));
    },
  );
  return server.on('clientError', respondToBrokenRequest);
}

/** Answers on a connection whose request never became one: too slow, too large headers, no HTTP. */
function respondToBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = problem(BROKEN_REQUESTS.get(error.code ?? '') ?? 'request-malformed');
  const text = JSON.stringify(answer);
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    `Content-Type: ${PROBLEM_CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

/** Codes of node:http for requests that cannot be read. */
const BROKEN_REQUESTS: ReadonlyMap<string, ProblemCode> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers-too-large'],
]);

function routeTable(routes: readonly Route[]): Map<string, Map<string, Route>> {
  const table = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = table.get(route.path) ?? new Map<string, Route>();
    table.set(route.path, methods.set(route.method, route));
  }
  return table;
}

const NO_QUERY = new URLSearchParams();

function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?');
  return mark < 0
    ? { path: url, query: NO_QUERY }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark)) };
}

const UNAUTHENTICATED: ReadonlySet<ProblemCode> = new Set(['token-missing', 'token-invalid', 'key-invalid']);

function respondError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  logger: Logger,
): void {
  if (!(error instanceof TollgateError)) {
    logger.error({ err: error, path: request.url }, 'request failed');
    respondProblem(response, problem('internal'));
    return;
  }
  if (error.internal !== undefined)
    logger.warn({ code: error.code, internal: error.internal }, 'request refused');
  const headers: Record<string, string> = UNAUTHENTICATED.has(error.code)
    ? { 'WWW-Authenticate': 'Bearer realm="tollgate"' }
    : {};
  // The rest of a body that is too large is not worth reading: end the connection instead.
  if (error.code === 'body-too-large') headers.Connection = 'close';
  respondProblem(response, error.toProblem(), headers);
}
