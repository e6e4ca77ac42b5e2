import { TollgateError } from '@tollgate/contracts';
import type { DoorMetrics, RouteMetrics } from '../metrics/door-metrics.js';
import type { Route } from '../routes/route.js';

/** A route with what is counted of it. */
export interface CountedRoute {
  readonly route: Route;
  readonly metrics: RouteMetrics;
}

type Methods = Map<string, CountedRoute>;

/** A request to a path that takes other methods than its own. */
export class MethodNotAllowed extends TollgateError {
  constructor(readonly allowed: string) {
    super('method-not-allowed');
  }
}

/** Finds the route of a request. */
export class RouteTable {
  private readonly exact = new Map<string, Methods>();
  private readonly below: [prefix: string, methods: Methods][] = [];

  constructor(routes: readonly Route[], metrics: DoorMetrics) {
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
