import type { Decision } from '../client/decision.js';
import { hitsOf, type StoreOptions, subjectOf } from './store-options.js';

export interface FastifyStoreOptions extends StoreOptions {
  /** The operation, or how it is called for each route that has a configuration of its own. */
  operation: string | ((route: { method: string | string[]; url: string }) => string);
}

type Callback = (error: Error | null, result?: { current: number; ttl: number }) => void;

interface FastifyStore {
  incr(key: string, callback: Callback, timeWindow: number, max: number): void;
  read(key: string, callback: Callback, timeWindow: number, max: number): void;
  child(routeOptions: object): FastifyStore;
}

/**
 * `store: tollgateStore({ client, tenant, api, operation })` in the options of @fastify/rate-limit, which wants a class of
 * stores. A refusal counts as one hit above `max`, so `ban: 1` and more bans nobody; `timeWindow` is Tollgate's.
 */
export function tollgateStore(options: FastifyStoreOptions): new (libraryOptions: object) => FastifyStore {
  return class TollgateStore implements FastifyStore {
    private readonly operation: string;

    constructor(libraryOptions: { routeInfo?: { method?: string | string[]; url?: string } }) {
      const { method = '', url = '' } = libraryOptions.routeInfo ?? {};
      this.operation =
        typeof options.operation === 'string' ? options.operation : options.operation({ method, url });
    }

    incr(key: string, callback: Callback, _timeWindow: number, max: number): void {
      answer(callback, options.client.limit(this.requestOf(key)), max, 1);
    }

    read(key: string, callback: Callback, _timeWindow: number, max: number): void {
      answer(callback, options.client.peek(this.requestOf(key)), max, 0);
    }

    child(routeOptions: object): FastifyStore {
      return new TollgateStore(routeOptions);
    }

    private requestOf(key: string) {
      const { tenant, api } = options;
      return { tenant, api, operation: this.operation, subject: subjectOf(options, String(key)) };
    }
  };
}

function answer(callback: Callback, decision: Promise<Decision>, max: number, leastHits: 0 | 1): void {
  decision.then(
    (decided) => {
      const { totalHits, resetAtMs = Date.now() } = hitsOf(decided, max, leastHits);
      callback(null, { current: totalHits, ttl: Math.max(0, resetAtMs - Date.now()) });
    },
    (error: Error) => callback(error),
  );
}
