import LocalStore from '@fastify/rate-limit/store/LocalStore.js';
import type { Decision } from '../client/decision.js';
import {
  asHitsOf,
  checkStoreOptions,
  hitsOf,
  isLeftToLibrary,
  type StoreOptions,
  subjectOf,
} from './hit-store.js';

export interface FastifyStoreOptions extends StoreOptions {
  /** A function names the operation of each route with its own configuration. */
  operation: string | ((route: { method: string | string[]; url: string }) => string);
}

type Callback = (error: Error | null, result?: { current: number; ttl: number }) => void;

interface FastifyStore {
  incr(key: string, callback: Callback, timeWindow: number, max: number): void;
  read(key: string, callback: Callback, timeWindow: number, max: number): void;
  child(routeOptions: object): FastifyStore;
}

type Max = number | ((request: unknown, key: string) => number | Promise<number>);

interface LibraryOptions {
  max?: Max;
  ban?: number;
  continueExceeding?: boolean;
  exponentialBackoff?: boolean;
  cache?: number;
  routeInfo?: { method?: string | string[]; url?: string };
}

/**
 * `store: tollgateStore({ client, tenant, api, operation })` in the options of @fastify/rate-limit. `timeWindow` comes
 * from Tollgate; `ban`, `continueExceeding` and `exponentialBackoff` do not apply, which a process warning states.
 * When Tollgate makes no decision, the library's own store counts with the numbers in code.
 */
export function tollgateStore(options: FastifyStoreOptions): new (libraryOptions: object) => FastifyStore {
  checkStoreOptions('tollgateStore', options);
  const warned = new Set<string>();
  return class TollgateStore implements FastifyStore {
    private readonly operation: string;
    private readonly memory: FastifyStore;

    constructor(libraryOptions: LibraryOptions) {
      const { method = '', url = '' } = libraryOptions.routeInfo ?? {};
      this.operation =
        typeof options.operation === 'string' ? options.operation : options.operation({ method, url });
      const { continueExceeding = false, exponentialBackoff = false, cache } = libraryOptions;
      this.memory = new LocalStore(continueExceeding, exponentialBackoff, cache);
      warnOfIgnored(libraryOptions, url, warned);
      showAppliedLimit(libraryOptions);
    }

    incr(key: string, callback: Callback, timeWindow: number, max: number): void {
      this.answer('incr', options.client.limit(this.requestOf(key)), key, callback, timeWindow, max);
    }

    read(key: string, callback: Callback, timeWindow: number, max: number): void {
      this.answer('read', options.client.peek(this.requestOf(key)), key, callback, timeWindow, max);
    }

    child(routeOptions: object): FastifyStore {
      return new TollgateStore(routeOptions);
    }

    private requestOf(key: string) {
      const { tenant, api } = options;
      return { tenant, api, operation: this.operation, subject: subjectOf(options, String(key)) };
    }

    private answer(
      method: 'incr' | 'read',
      decision: Promise<Decision>,
      key: string,
      callback: Callback,
      timeWindow: number,
      max: number | AppliedMax,
    ): void {
      const own = Number(max);
      const leastHits = method === 'incr' ? 1 : 0;
      decision.then(
        (decided) => {
          if (isLeftToLibrary(decided)) return this.memory[method](key, callback, timeWindow, own);
          let hits = hitsOf(decided, own, leastHits);
          if (max instanceof AppliedMax) max.value = hits.limit ?? own;
          else hits = asHitsOf(hits, own, leastHits);
          // Blocked permanently: a retry makes no sense before the window in code is over.
          const ttl = hits.resetAtMs === undefined ? timeWindow : Math.max(0, hits.resetAtMs - Date.now());
          callback(null, { current: hits.totalHits, ttl });
        },
        (error: Error) => callback(error),
      );
    }
  };
}

/**
 * The library reads `max` before it calls the store and writes it into headers afterwards: this object compares and
 * prints as a number, and the store sets it to the binding limit.
 */
class AppliedMax {
  constructor(public value: number) {}

  valueOf(): number {
    return this.value;
  }

  toString(): string {
    return String(this.value);
  }

  toJSON(): number {
    return this.value;
  }
}

const SHOWS_APPLIED = Symbol('tollgate: shows the limit that applied');

/** Replaces `max` with an `AppliedMax` per request. Routes without their own `max` inherit it. */
function showAppliedLimit(libraryOptions: LibraryOptions): void {
  const { max } = libraryOptions;
  if (max === undefined || (typeof max === 'function' && SHOWS_APPLIED in max)) return;
  const shown = async (request: unknown, key: string) =>
    new AppliedMax(typeof max === 'number' ? max : await max(request, key)) as unknown as number;
  libraryOptions.max = Object.assign(shown, { [SHOWS_APPLIED]: true });
}

/** @param warned Fastify registers HEAD beside each GET: warn once */
function warnOfIgnored(
  { ban, continueExceeding, exponentialBackoff }: LibraryOptions,
  url: string,
  warned: Set<string>,
): void {
  const ignored = Object.entries({
    ban: ban !== undefined && ban >= 0,
    continueExceeding: continueExceeding === true,
    exponentialBackoff: exponentialBackoff === true,
  }).flatMap(([name, isSet]) => (isSet ? [name] : []));
  if (ignored.length === 0) return;
  const where = url === '' ? '' : ` on ${url}`;
  const message = `tollgateStore${where}: @fastify/rate-limit option ${ignored.join(', ')} does not apply while Tollgate decides; set the limit in Tollgate`;
  if (warned.has(message)) return;
  warned.add(message);
  process.emitWarning(message, { code: 'TOLLGATE_IGNORED_OPTION' });
}
