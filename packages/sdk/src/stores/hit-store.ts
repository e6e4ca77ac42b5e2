import type { Decision } from '../client/decision.js';
import { type Hits, hitsOf, type StoreOptions, subjectOf } from './store-options.js';

/** Keys whose next decrement is void; beyond, the oldest goes. */
const MAX_UNCHARGED = 10_000;

export interface HitStoreOptions extends StoreOptions {
  /** The operation, as it is called in Tollgate. */
  operation: string;
}

/** What the store reads of its library's options. */
interface LibraryOptions {
  limit?: unknown;
  windowMs?: number;
  skipFailedRequests?: boolean;
}

interface ClientRateLimitInfo {
  totalHits: number;
  resetTime: Date;
}

/**
 * The store of libraries in the manner of express-rate-limit. Refusals charge nothing, so a `decrement` after one is void.
 * Where Tollgate cannot be asked, the client's `onUnavailable` decides; a fault of the call is the library's store error.
 */
export class TollgateStore {
  /** Keys are shared by all processes. */
  readonly localKeys = false;
  readonly prefix: string;
  private ownLimit: number | undefined;
  private windowMs = 60_000;
  private decrementsRefusals = false;
  private readonly uncharged = new Map<string, number>();

  constructor(private readonly options: HitStoreOptions) {
    this.prefix = `${options.tenant}/${options.api}/${options.operation}/`;
  }

  /** Called by the library. */
  init({ limit, windowMs, skipFailedRequests }: LibraryOptions): void {
    if (windowMs !== undefined) this.windowMs = windowMs;
    this.ownLimit = typeof limit === 'number' ? limit : undefined;
    this.decrementsRefusals = skipFailedRequests === true;
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    const decision = await this.options.client.limit(this.requestOf(key));
    if (this.decrementsRefusals && !isCharged(decision)) this.note(key, 1);
    return this.infoOf(hitsOf(decision, this.ownLimit, 1));
  }

  async decrement(key: string): Promise<void> {
    if (this.uncharged.has(key)) this.note(key, -1);
    else await this.options.client.refund({ ...this.requestOf(key), cost: 1 });
  }

  async get(key: string): Promise<ClientRateLimitInfo> {
    return this.infoOf(hitsOf(await this.options.client.peek(this.requestOf(key)), this.ownLimit, 0));
  }

  /** The client's service token needs the scope `admin` for this. */
  async resetKey(key: string): Promise<void> {
    await this.options.client.reset(this.requestOf(key));
  }

  private requestOf(key: string) {
    const { tenant, api, operation } = this.options;
    return { tenant, api, operation, subject: subjectOf(this.options, key) };
  }

  private infoOf({ totalHits, resetAtMs = Date.now() + this.windowMs }: Hits): ClientRateLimitInfo {
    return { totalHits, resetTime: new Date(resetAtMs) };
  }

  private note(key: string, more: number): void {
    const count = (this.uncharged.get(key) ?? 0) + more;
    this.uncharged.delete(key);
    if (count > 0) this.uncharged.set(key, count);
    if (this.uncharged.size <= MAX_UNCHARGED) return;
    for (const oldest of this.uncharged.keys()) {
      this.uncharged.delete(oldest);
      return;
    }
  }
}

function isCharged({ success, unavailable }: Decision): boolean {
  return success && unavailable === null;
}
