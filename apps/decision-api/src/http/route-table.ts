import { type IncomingMessage, type ServerResponse } from 'node:http';
import { TollgateError } from '@tollgate/contracts';
import { type RouteMetrics, type ServerMetrics } from '../metrics/metrics.js';

/** One endpoint. Errors thrown by `handle` become problem responses. */
export interface Route {
  /** `*`: any method. */
  readonly method: 'GET' | 'POST' | '*';
  /** With `/` at its end, everything below it. */
  readonly path: string;
  /** Scope that the caller's service token must have; null: open to all, and answered however busy the process is. */
  readonly scope: 'decide' | 'reset' | null;
  /** Also accepts a tenant's API key in the headers; the route then applies to that tenant. */
  readonly takesKey?: boolean;
  handle(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> | void;
}

/** A route with its metrics. */
export interface CountedRoute {
  readonly route: Route;
  readonly metrics: RouteMetrics;
}

type Methods = Map<string, CountedRoute>;

/** The path does not support the request's method. */
export class MethodNotAllowed extends TollgateError {
  constructor(readonly allowed: string) {
    super('method-not-allowed');
  }
}

/** Finds the route of a request. */
export class RouteTable {
  private readonly exact = new Map<string, Methods>();
  private readonly below: [prefix: string, methods: Methods][] = [];

  constructor(routes: readonly Route[], metrics: ServerMetrics) {
    for (const route of routes) {
      const methods = this.exact.get(route.path) ?? new Map();
      methods.set(route.method, { route, metrics: metrics.route('http', route.path) });
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
