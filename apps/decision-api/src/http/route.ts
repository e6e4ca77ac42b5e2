import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import {
  type LimitAnswer,
  PROBLEM_CONTENT_TYPE,
  type Problem,
  type ProblemCode,
  problem,
  TollgateError,
} from '@tollgate/contracts';
import { type Logger, traceIdOf } from '@tollgate/logging';
import { type RouteMetrics, type ServerMetrics } from '../metrics/metrics.js';

/** One endpoint. Errors thrown by `handle` become problem responses. */
export interface Route {
  /** `*`: any method. */
  readonly method: 'GET' | 'POST' | '*';
  /** A path that ends with `/` includes everything below it. */
  readonly path: string;
  /** Scope that the caller's service token must have; null: open to all and never shed. */
  readonly scope: 'decide' | 'reset' | null;
  /** Also accepts a tenant's API key in the headers; the route then applies to that tenant. */
  readonly takesKey?: boolean;
  /** Whether it answers by decisions and counts them in `metrics`. */
  readonly decides?: boolean;
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
    metrics: RouteMetrics,
  ): Promise<void> | void;
}

/** A route that responds with decisions. */
export function decisionRoute(path: string, handle: Route['handle']): Route {
  return { method: 'POST', path, scope: 'decide', decides: true, handle };
}

export interface CountedRoute {
  readonly route: Route;
  /** Undefined for routes that are open to all: probes would hide the requests of callers. */
  readonly metrics: RouteMetrics | undefined;
}

type Methods = Map<string, CountedRoute>;

export class MethodNotAllowed extends TollgateError {
  constructor(readonly allowed: string) {
    super('method-not-allowed');
  }
}

export class RouteTable {
  private readonly exact = new Map<string, Methods>();
  private readonly below: [prefix: string, methods: Methods][] = [];

  constructor(routes: readonly Route[], metrics: ServerMetrics) {
    for (const route of routes) {
      const methods = this.exact.get(route.path) ?? new Map();
      methods.set(route.method, {
        route,
        metrics: route.scope === null ? undefined : metrics.route(route.path, route.decides),
      });
      this.exact.set(route.path, methods);
      if (route.path.endsWith('/') && methods.size === 1) this.below.push([route.path, methods]);
    }
  }

  /** @throws TollgateError `route-unknown`, `method-not-allowed` */
  find(method: string, path: string): CountedRoute {
    const methods = this.exact.get(path) ?? this.below.find(([prefix]) => path.startsWith(prefix))?.[1];
    if (methods === undefined) throw new TollgateError('route-unknown');
    const found = methods.get(method) ?? methods.get('*');
    if (found === undefined) throw new MethodNotAllowed([...methods.keys()].join(', '));
    return found;
  }
}

const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

export function respondJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  respond(response, status, JSON_CONTENT_TYPE, JSON.stringify(body), headers);
}

export function problemPath(code: ProblemCode): string {
  return `/docs/errors/${code}`;
}

/** Adds the path of the page that explains the problem code. */
export function explained(problem: Problem): Problem {
  return { ...problem, docs: problemPath(problem.code) };
}

export function respondProblem(
  response: ServerResponse,
  problem: Problem,
  headers: Record<string, string> = {},
): void {
  respond(response, problem.status, PROBLEM_CONTENT_TYPE, JSON.stringify(explained(problem)), headers);
}

export function respond(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed) return;
  const bytes = Buffer.byteLength(text);
  // node:http would convert an object to a list.
  const list = ['Content-Type', contentType, 'Content-Length', String(bytes), 'Cache-Control', 'no-store'];
  for (const name in headers) list.push(name, headers[name] as string);
  response.writeHead(status, list);
  // Text in ASCII is written without encoding it.
  response.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

const TEXT = JSON.stringify(
  explained(problem('overloaded', { detail: 'Too many requests in flight on this node' })),
);
const HEADERS = [
  ...['Content-Type', PROBLEM_CONTENT_TYPE],
  ...['Content-Length', String(Buffer.byteLength(TEXT))],
  ...['Cache-Control', 'no-store'],
  ...['Retry-After', '1'],
];

/** Sheds a request. The cheapest of all responses. */
export function respondShed(response: ServerResponse): void {
  response.writeHead(503, HEADERS);
  response.end(TEXT);
}

const UNAUTHENTICATED: ReadonlySet<ProblemCode> = new Set([
  'token-missing',
  'token-invalid',
  'key-missing',
  'key-invalid',
]);

/** Seconds after which a temporary error may be gone. */
const RETRY_AFTER_S: Partial<Record<ProblemCode, string>> = {
  'not-ready': '1',
  'counters-unreached': '1',
  'quotas-unrestored': '1',
  'process-missing': '1',
  draining: '1',
  'tenant-unavailable': '1',
  overloaded: '1',
};

/** Responds with a thrown problem; anything else becomes `internal` and is logged. Returns the code of the problem. */
export function respondError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  logger: Logger,
): ProblemCode {
  if (!(error instanceof TollgateError)) {
    const ids = idsOf(request);
    // Without the query, which identifies tenants.
    logger.error({ ...ids, err: error, path: request.url?.split('?', 1)[0] }, 'request failed');
    respondProblem(response, problem('internal', { requestId: ids.requestId }));
    return 'internal';
  }
  if (error.internal !== undefined)
    logger.warn({ ...idsOf(request), code: error.code, internal: error.internal }, 'request rejected');
  respondProblem(response, error.toProblem(), headersOf(error.code));
  return error.code;
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The caller's ids of a request, or a new request id, for log lines. */
function idsOf({ headers }: IncomingMessage): { requestId: string; traceId?: string } {
  const given = headers['x-request-id'];
  const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  const traceId = traceIdOf(headers.traceparent);
  return traceId === undefined ? { requestId } : { requestId, traceId };
}

function headersOf(code: ProblemCode): Record<string, string> {
  const headers: Record<string, string> = {};
  if (UNAUTHENTICATED.has(code)) headers['WWW-Authenticate'] = 'Bearer realm="tollgate"';
  // Ends the connection instead of reading the rest of the body.
  if (code === 'body-too-large') headers.Connection = 'close';
  const retryAfter = RETRY_AFTER_S[code];
  if (retryAfter !== undefined) headers['Retry-After'] = retryAfter;
  return headers;
}

const BROKEN_REQUESTS: ReadonlyMap<string, ProblemCode> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers-too-large'],
]);

/** Responds on a connection whose request could not be parsed: timeout, oversized headers or invalid HTTP. */
export function respondToBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
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

/** Maximum spread, seconds; otherwise a tenth of the wait. */
const MAX_SPREAD_S = 30;

/** Adds a delay derived from the request id, so that clients waiting for the same reset do not retry at once. */
export function withSpreadRetry(answer: LimitAnswer): LimitAnswer {
  const { retryAfter } = answer;
  // The tenth of a wait below 10 s rounds to 0; null: waiting does not help.
  if (retryAfter === null || retryAfter < 10) return answer;
  const spread = Math.min(Math.floor(retryAfter / 10), MAX_SPREAD_S);
  return { ...answer, retryAfter: retryAfter + (hashOf(answer.requestId) % (spread + 1)) };
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
