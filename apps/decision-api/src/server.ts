import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type ProblemCode, TollgateError } from '@tollgate/contracts';
import type { Peppers } from '@tollgate/contracts/service-token';
import type { DecisionPlane } from '@tollgate/decision-plane';
import { Admission, type LagBound, type Logger, type Tracing } from '@tollgate/logging';
import { callerKeyOf, TokenVerifier } from './auth.js';
import { DenialLinks } from './denial-links.js';
import { jsonRoute } from './envoy/json.js';
import { defaultMappings } from './envoy/mapping.js';
import { RateLimitService } from './envoy/rate-limit-service.js';
import { DEFAULT_MAX_IN_FLIGHT, Drain } from './http/admission.js';
import { RequestTrace } from './http/request-trace.js';
import {
  type CountedRoute,
  MethodNotAllowed,
  RouteTable,
  respondError,
  respondShed,
  respondToBrokenRequest,
} from './http/route.js';
import { WaitingLine } from './http/waiting-line.js';
import { type RouteMetrics, ServerMetrics } from './metrics/metrics.js';
import type { TrustedHops } from './routes/client-address.js';
import { documentRoutes } from './routes/documents.js';
import { forwardAuthRoutes } from './routes/forward-auth.js';
import { healthRoute, readyRoute, type SiblingReadiness, versionRoute } from './routes/health.js';
import { limitRoute, limitsRoute, peekRoute } from './routes/limit.js';
import { verbRoutes } from './routes/verbs.js';

export interface DecisionServerOptions {
  plane: DecisionPlane;
  peppers: Peppers;
  logger: Logger;
  /** Metrics of this process; undefined: new ones. */
  metrics?: ServerMetrics;
  /** Service of `POST /json`; default: with the default mapping. */
  rateLimits?: RateLimitService;
  maxInFlight?: number;
  /** Longest wait for admission, ms; default: {@link WaitingLine}. */
  maxWaitMs?: number;
  /** Default: lag does not shed requests. */
  lag?: LagBound;
  /** Default: the calling proxy, which authenticates by token. */
  trustedHops?: TrustedHops;
  /** Default: not ready before the counters have responded once. */
  readyWithoutCounters?: boolean;
  drain?: Drain;
  /** Other processes on the same port; default: none. */
  siblings?: SiblingReadiness;
  /** Default: no links in denied answers. */
  links?: DenialLinks;
  /** Default: off. */
  tracing?: Tracing | undefined;
}

const CALLING_PROXY: TrustedHops = { count: 1 };

/** More than nginx (32 kB) and Envoy (60 kB) accept: a proxy must not forward a request that its forward-auth call cannot carry. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Plain `node:http`: a framework would cost more than a decision. */
export function createDecisionServer(options: DecisionServerOptions): Server {
  const { plane, peppers, logger, metrics = new ServerMetrics(), drain = new Drain(), tracing } = options;
  const verifier = new TokenVerifier(peppers, (publicId) => plane.serviceToken(publicId));
  const links = options.links ?? new DenialLinks(plane);
  const rateLimits =
    options.rateLimits ?? new RateLimitService({ plane, mappings: defaultMappings(), links });
  const admission = new Admission(options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT, options.lag);
  const line = new WaitingLine(admission, options.maxWaitMs);
  const routes = new RouteTable(
    [
      limitRoute(plane, links),
      peekRoute(plane),
      ...verbRoutes(plane, links),
      limitsRoute(plane),
      ...forwardAuthRoutes(plane, links, options.trustedHops ?? CALLING_PROXY),
      jsonRoute(rateLimits),
      healthRoute(),
      versionRoute(),
      readyRoute(plane, drain, options.readyWithoutCounters ?? false, options.lag, options.siblings),
      ...documentRoutes(),
    ],
    metrics,
  );
  const unknownRoute = metrics.route('unknown');

  const run = (
    { route, metrics: counted = unknownRoute }: CountedRoute,
    request: IncomingMessage,
    response: ServerResponse,
    trace: RequestTrace | undefined,
  ) => {
    if (route.scope !== null) {
      if (!plane.ready) throw new TollgateError('not-ready');
      if (!(route.takesKey === true && callerKeyOf(request) !== undefined))
        verifier.verify(request, route.scope);
    }
    const recorded = trace === undefined ? counted : trace.recording(counted);
    return route.handle(request, response, queryOf(request), recorded);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const startedMs = performance.now();
    let counted: RouteMetrics | undefined = unknownRoute;
    let code: ProblemCode | undefined;
    let isAdmitted = false;
    let trace: RequestTrace | undefined;
    try {
      const found = routes.find(request.method ?? '', pathOf(request));
      counted = found.metrics;
      if (found.route.scope !== null) {
        if (tracing !== undefined) trace = traceOf(tracing, request, found.route.path);
        const entered = line.enter(request.socket);
        // Only a request that waits costs a turn of the microtask queue.
        const shedReason = entered instanceof Promise ? await entered : entered;
        isAdmitted = shedReason === undefined;
        if (shedReason !== undefined) {
          metrics.shed(shedReason);
          code = 'overloaded';
          respondShed(response);
          return;
        }
        if (response.destroyed) {
          counted = undefined;
          return;
        }
      }
      await run(found, request, response, trace);
    } catch (error) {
      if (error instanceof MethodNotAllowed) response.setHeader('Allow', error.allowed);
      code = respondError(request, response, error, logger);
    } finally {
      if (isAdmitted) line.leave();
      trace?.end({ 'http.response.status_code': response.statusCode }, code);
      counted?.responded(response.statusCode, performance.now() - startedMs, code);
    }
  };

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      // Announced to clients; after the buffer as well, this server closes an idle connection. A request on a connection that
      // is being closed fails, so clients close first, then load balancers (usually after 60 s), then this server.
      keepAliveTimeout: 50_000,
      keepAliveTimeoutBuffer: 15_000,
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      // The default would let slow requests live up to 30 s longer.
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      // Busy connections would delay the shutdown.
      if (drain.isDraining || !server.listening) response.setHeader('Connection', 'close');
      void handle(request, response);
    },
  );
  return server.on('clientError', respondToBrokenRequest);
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

const NO_QUERY = new URLSearchParams();

function queryOf({ url = '/' }: IncomingMessage): URLSearchParams {
  const mark = url.indexOf('?');
  return mark < 0 ? NO_QUERY : new URLSearchParams(url.slice(mark));
}

function traceOf(tracing: Tracing, { headers, method = '' }: IncomingMessage, route: string) {
  const attributes = { 'http.request.method': method, 'http.route': route };
  return RequestTrace.start(tracing, headers.traceparent, `${method} ${route}`, attributes);
}
