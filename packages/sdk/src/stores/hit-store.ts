import { AsyncLocalStorage } from 'node:async_hooks';
import { type Decision, isDecidedByTollgate, type Limiter } from '../client/decision.js';
import { requireClient, requireText, TollgateConfigError } from '../client/errors.js';

/** Tollgate's limit replaces the number in code. */
export interface StoreOptions {
  client: Limiter;
  tenant: string;
  /** As named in Tollgate. */
  api: string;
  /** Dimension of the library's key; default `client`. The limit must count by it. */
  dimension?: string;
}

export function checkStoreOptions(owner: string, options: StoreOptions & { operation: unknown }): void {
  requireClient(owner, options.client);
  requireText(owner, 'tenant', options.tenant);
  requireText(owner, 'api', options.api);
  if (typeof options.operation !== 'function') requireText(owner, 'operation', options.operation);
}

/** The library's own memory decides if Tollgate did not, the request is allowed, and no limit is known. */
export function isLeftToLibrary(decision: Decision): boolean {
  return !isDecidedByTollgate(decision) && decision.success && decision.policy === null;
}

export interface Hits {
  /** Tollgate's if known, else the number in code; undefined: unknown. */
  limit: number | undefined;
  totalHits: number;
  /** Unix ms; undefined: unknown, or retrying does not help. */
  resetAtMs: number | undefined;
}

/**
 * Above `limit` if denied, else `limit` minus `remaining`.
 * @param ownLimit the number in code, if the library passes it
 * @param leastHits 1 for a request that was just counted
 */
export function hitsOf(decision: Decision, ownLimit: number | undefined, leastHits: 0 | 1): Hits {
  const limit = decision.limit ?? ownLimit;
  if (!decision.success) {
    const totalHits = limit === undefined ? Number.MAX_SAFE_INTEGER : limit + 1;
    return { limit, totalHits, resetAtMs: retryAtMs(decision) };
  }
  const { remaining, reset } = decision;
  const used = limit === undefined || remaining === null ? leastHits : limit - remaining;
  return { limit, totalHits: Math.max(leastHits, used), resetAtMs: reset ?? undefined };
}

/** For a library that compares with the number in code. */
export function asHitsOf(hits: Hits, ownLimit: number | undefined, leastHits: 0 | 1): Hits {
  const { limit, totalHits, resetAtMs } = hits;
  if (limit === undefined || limit === ownLimit) return hits;
  if (totalHits > limit) {
    const deniedHits = ownLimit === undefined ? Number.MAX_SAFE_INTEGER : ownLimit + 1;
    return { limit: ownLimit, totalHits: deniedHits, resetAtMs };
  }
  const used = ownLimit === undefined ? leastHits : ownLimit - (limit - totalHits);
  return { limit: ownLimit, totalHits: Math.max(leastHits, used), resetAtMs };
}

/** The server adds up to a tenth to `retryAfter`; here the longest window that denied the hit bounds it. */
function retryAtMs({ retryAfter, policies }: Decision): number | undefined {
  if (retryAfter === null) return undefined;
  const windows = policies
    .filter(({ success, mode, window }) => !success && mode === 'enforce' && window > 0)
    .map(({ window }) => window);
  const waitS = windows.length === 0 ? retryAfter : Math.min(retryAfter, Math.max(...windows));
  return Date.now() + waitS * 1000;
}

/** Some libraries use the network of an IPv6 client, `2001:db8::/56`: sends its first address. */
export function subjectOf({ dimension = 'client' }: StoreOptions, key: string): Record<string, string> {
  return { [dimension]: dimension === 'ip' ? key.replace(/\/\d+$/, '') : key };
}

export interface HitStoreOptions extends StoreOptions {
  operation: string;
  /** Fallback for `limit: store.limit` in the library's options. */
  limit?: number;
}

interface LibraryOptions {
  limit?: unknown;
  windowMs?: number;
  skipFailedRequests?: boolean;
  skipSuccessfulRequests?: boolean;
}

interface ClientRateLimitInfo {
  totalHits: number;
  resetTime: Date;
}

export interface MemoryHits {
  init(options: never): void;
  increment(key: string): Maybe<LibraryRateLimitInfo>;
  decrement(key: string): Maybe<void>;
  get(key: string): Maybe<LibraryRateLimitInfo | undefined>;
  resetKey(key: string): Maybe<void>;
  shutdown(): void;
}
type Maybe<T> = T | Promise<T>;
type LibraryRateLimitInfo = { totalHits: number; resetTime?: Date | undefined };

/** A counted request. */
interface Hit {
  /** Binding limit. */
  limit: number | undefined;
  /** Undefined: nothing was counted, or it was undone. */
  undo: (() => unknown) | undefined;
}

/**
 * Store for libraries with the express-rate-limit interface. When Tollgate makes no decision, the library's memory counts with the
 * number in code.
 */
export abstract class HitStore {
  readonly localKeys = false;
  readonly prefix: string;
  private ownLimit: number | undefined;
  private showsApplied = false;
  private windowMs = 60_000;
  private mayDecrement = false;
  /** The last hit of this asynchronous context. */
  private readonly hit = new AsyncLocalStorage<Hit>();

  protected constructor(
    private readonly options: HitStoreOptions,
    private readonly memory: MemoryHits,
  ) {
    checkStoreOptions('TollgateStore', options);
    this.prefix = `${options.tenant}/${options.api}/${options.operation}/`;
    this.ownLimit = options.limit;
  }

  /** As `limit: store.limit` in the library's options, it makes headers show the binding limit. */
  readonly limit = (): number => this.hit.getStore()?.limit ?? this.ownLimit ?? 0;

  /** @throws TollgateConfigError if `store.limit` has no fallback */
  init(options: LibraryOptions): void {
    const { limit, windowMs, skipFailedRequests, skipSuccessfulRequests } = options;
    if (windowMs !== undefined) this.windowMs = windowMs;
    this.showsApplied = limit === this.limit;
    if (this.showsApplied && this.options.limit === undefined) {
      const message =
        'TollgateStore: option "limit" is missing; "limit: store.limit" needs it while Tollgate is unavailable.';
      throw new TollgateConfigError('limit', message);
    }
    if (!this.showsApplied) this.ownLimit = typeof limit === 'number' ? limit : undefined;
    this.mayDecrement = skipFailedRequests === true || skipSuccessfulRequests === true;
    this.memory.init(options as never);
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    // Before the first await, so that the library's code after this call runs in it.
    const hit: Hit = { limit: undefined, undo: undefined };
    if (this.showsApplied || this.mayDecrement) this.hit.enterWith(hit);
    const { client, tenant } = this.options;
    const receipt = { tenant, requestId: crypto.randomUUID() };
    const request = this.requestOf(key);
    const decision = await client.limit(this.mayDecrement ? { ...request, ...receipt } : request);
    if (isLeftToLibrary(decision)) {
      hit.undo = () => this.memory.decrement(key);
      return this.infoOfMemory(await this.memory.increment(key));
    }
    if (decision.success && isDecidedByTollgate(decision)) hit.undo = () => client.refund(receipt);
    const hits = hitsOf(decision, this.ownLimit, 1);
    if (!this.showsApplied) return this.infoOf(asHitsOf(hits, this.ownLimit, 1));
    hit.limit = hits.limit;
    return this.infoOf(hits);
  }

  /**
   * Reverts the hit of this asynchronous context, once; a key does not tell in which window its hit counted. Needs
   * `skipFailedRequests` or `skipSuccessfulRequests`.
   */
  async decrement(_key: string): Promise<void> {
    const hit = this.hit.getStore();
    const undo = hit?.undo;
    if (hit === undefined || undo === undefined) return;
    hit.undo = undefined;
    await undo();
  }

  async get(key: string): Promise<ClientRateLimitInfo> {
    const decision = await this.options.client.peek(this.requestOf(key));
    if (isLeftToLibrary(decision)) return this.infoOfMemory((await this.memory.get(key)) ?? { totalHits: 0 });
    return this.infoOf(asHitsOf(hitsOf(decision, this.ownLimit, 0), this.ownLimit, 0));
  }

  /** Needs the scope `reset`. */
  async resetKey(key: string): Promise<void> {
    await this.memory.resetKey(key);
    await this.options.client.reset(this.requestOf(key));
  }

  shutdown(): void {
    this.memory.shutdown();
  }

  private requestOf(key: string) {
    const { tenant, api, operation } = this.options;
    return { tenant, api, operation, subject: subjectOf(this.options, String(key)) };
  }

  /** Falls back to the library's window. */
  private infoOf({ totalHits, resetAtMs = Date.now() + this.windowMs }: Hits): ClientRateLimitInfo {
    return { totalHits, resetTime: new Date(resetAtMs) };
  }

  private infoOfMemory({ totalHits, resetTime }: LibraryRateLimitInfo): ClientRateLimitInfo {
    return { totalHits, resetTime: resetTime ?? new Date(Date.now() + this.windowMs) };
  }
}
