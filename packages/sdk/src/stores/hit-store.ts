import { AsyncLocalStorage } from 'node:async_hooks';
import { TollgateConfigError } from '../client/config-error.js';
import { type Decision, isDecidedByTollgate } from '../client/decision.js';
import {
  asHitsOf,
  checkStoreOptions,
  type Hits,
  hitsOf,
  isLeftToLibrary,
  type StoreOptions,
  subjectOf,
} from './store-options.js';

/** Keys whose next decrement concerns no charge of Tollgate; beyond, the oldest goes. */
const MAX_UNCHARGED = 10_000;

export interface HitStoreOptions extends StoreOptions {
  /** The operation, as it is called in Tollgate. */
  operation: string;
  /** The number in code, for `limit: store.limit` in the library's options. */
  limit?: number;
}

/** What the store reads of its library's options. */
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

/** The library's own store in memory. */
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

/**
 * The store of libraries in the manner of express-rate-limit. Refusals charge nothing, so a `decrement` after one is void.
 * Where Tollgate makes no decision, the library's own memory counts, by the number in code; `deny` and `local` of the client
 * decide themselves.
 */
export abstract class HitStore {
  /** Keys are shared by all processes. */
  readonly localKeys = false;
  readonly prefix: string;
  private ownLimit: number | undefined;
  private showsApplied = false;
  private windowMs = 60_000;
  private decrements = { failed: false, successful: false };
  /** Counted nowhere: the next decrements of these keys are void. */
  private readonly uncharged = new KeyCounts();
  /** Counted in `memory`. */
  private readonly inMemory = new KeyCounts();
  /** The limit that applied, for the request whose hit was counted last in this asynchronous context. */
  private readonly applied = new AsyncLocalStorage<{ limit: number | undefined }>();

  protected constructor(
    private readonly options: HitStoreOptions,
    private readonly memory: MemoryHits,
  ) {
    checkStoreOptions('TollgateStore', options);
    this.prefix = `${options.tenant}/${options.api}/${options.operation}/`;
    this.ownLimit = options.limit;
  }

  /**
   * `limit: store.limit` in the library's options: headers show the limit that applied, Tollgate's or, where it made no
   * decision, `limit` of the store's options. With a number there, headers show that number.
   */
  readonly limit = (): number => this.applied.getStore()?.limit ?? this.ownLimit ?? 0;

  /** Called by the library. @throws TollgateConfigError where `store.limit` has no number in code to fall back to */
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
    this.decrements = { failed: skipFailedRequests === true, successful: skipSuccessfulRequests === true };
    this.memory.init(options as never);
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    // Entered before the first await, so that the library's code after this call runs in it.
    const applied: { limit: number | undefined } = { limit: undefined };
    if (this.showsApplied) this.applied.enterWith(applied);
    const decision = await this.options.client.limit(this.requestOf(key));
    if (isLeftToLibrary(decision)) {
      if (this.decrements.failed || this.decrements.successful) this.inMemory.add(key, 1);
      return this.infoOfMemory(await this.memory.increment(key));
    }
    if (this.mayBeDecremented(decision)) this.uncharged.add(key, 1);
    const hits = hitsOf(decision, this.ownLimit, 1);
    if (!this.showsApplied) return this.infoOf(asHitsOf(hits, this.ownLimit, 1));
    applied.limit = hits.limit;
    return this.infoOf(hits);
  }

  async decrement(key: string): Promise<void> {
    if (this.inMemory.has(key)) {
      this.inMemory.add(key, -1);
      await this.memory.decrement(key);
    } else if (this.uncharged.has(key)) this.uncharged.add(key, -1);
    else await this.options.client.refund({ ...this.requestOf(key), cost: 1 });
  }

  async get(key: string): Promise<ClientRateLimitInfo> {
    const decision = await this.options.client.peek(this.requestOf(key));
    if (isLeftToLibrary(decision)) return this.infoOfMemory((await this.memory.get(key)) ?? { totalHits: 0 });
    return this.infoOf(asHitsOf(hitsOf(decision, this.ownLimit, 0), this.ownLimit, 0));
  }

  /** The client's service token needs the scope `reset` for this. */
  async resetKey(key: string): Promise<void> {
    await this.memory.resetKey(key);
    await this.options.client.reset(this.requestOf(key));
  }

  /** Called by the library. */
  shutdown(): void {
    this.memory.shutdown();
  }

  private requestOf(key: string) {
    const { tenant, api, operation } = this.options;
    return { tenant, api, operation, subject: subjectOf(this.options, String(key)) };
  }

  /** Whether the library may decrement a hit that was counted nowhere. */
  private mayBeDecremented(decision: Decision): boolean {
    if (decision.success && isDecidedByTollgate(decision)) return false;
    return decision.success ? this.decrements.failed || this.decrements.successful : this.decrements.failed;
  }

  /** Where no reset is known, or a client is blocked for good, the library's own window stands for it. */
  private infoOf({ totalHits, resetAtMs = Date.now() + this.windowMs }: Hits): ClientRateLimitInfo {
    return { totalHits, resetTime: new Date(resetAtMs) };
  }

  private infoOfMemory({ totalHits, resetTime }: LibraryRateLimitInfo): ClientRateLimitInfo {
    return { totalHits, resetTime: resetTime ?? new Date(Date.now() + this.windowMs) };
  }
}

/** Numbers by key, of the last {@link MAX_UNCHARGED} keys. */
class KeyCounts {
  private readonly counts = new Map<string, number>();

  has(key: string): boolean {
    return this.counts.has(key);
  }

  add(key: string, more: number): void {
    const count = (this.counts.get(key) ?? 0) + more;
    this.counts.delete(key);
    if (count > 0) this.counts.set(key, count);
    if (this.counts.size <= MAX_UNCHARGED) return;
    for (const oldest of this.counts.keys()) {
      this.counts.delete(oldest);
      return;
    }
  }
}
