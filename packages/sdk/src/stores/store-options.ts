import { requireText, TollgateConfigError } from '../client/config-error.js';
import { type Decision, isDecidedByTollgate } from '../client/decision.js';
import type { Limiter } from '../client/limiter.js';

/** Where a library's counters are kept: under a limit of Tollgate, in the place of the number in code. */
export interface StoreOptions {
  client: Limiter;
  /** Whose limits apply. */
  tenant: string;
  /** The protected service, as it is called in Tollgate. */
  api: string;
  /** Under which dimension the library's key is sent; `client` unless given. The limit in Tollgate counts by it. */
  dimension?: string;
}

/** @throws TollgateConfigError that names the option */
export function checkStoreOptions(owner: string, options: StoreOptions & { operation: unknown }): void {
  if (typeof options.client?.limit !== 'function') {
    throw new TollgateConfigError(
      'client',
      `${owner}: option "client" must be a Tollgate or an EmbeddedTollgate.`,
    );
  }
  requireText(owner, 'tenant', options.tenant);
  requireText(owner, 'api', options.api);
  if (typeof options.operation !== 'function') requireText(owner, 'operation', options.operation);
}

/**
 * Whether the library's own memory decides instead: Tollgate made no decision, the client's `onUnavailable` or `onFault` lets
 * the request pass, and no limit of Tollgate is known. `deny`, and `local` with known limits, decide themselves.
 */
export function isLeftToLibrary(decision: Decision): boolean {
  return !isDecidedByTollgate(decision) && decision.success && decision.policy === null;
}

/** A count as such libraries compare it with a limit. */
export interface Hits {
  /** The limit that the count is of: Tollgate's where it is known, else the number in code; undefined: neither is known. */
  limit: number | undefined;
  totalHits: number;
  /** Unix ms at which a retry makes sense, or the counter is empty again; undefined: not known, or no retry helps. */
  resetAtMs: number | undefined;
}

/**
 * A decision as a number of hits: above `limit` if denied, else `limit` minus `remaining`.
 * @param ownLimit the number in code; undefined where the library does not pass it
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

/** `hits` counted against the number in code, for a library that compares with nothing else. */
export function asHitsOf(hits: Hits, ownLimit: number | undefined, leastHits: 0 | 1): Hits {
  const { limit, totalHits, resetAtMs } = hits;
  if (limit === undefined || limit === ownLimit) return hits;
  if (totalHits > limit) {
    const refused = ownLimit === undefined ? Number.MAX_SAFE_INTEGER : ownLimit + 1;
    return { limit: ownLimit, totalHits: refused, resetAtMs };
  }
  const used = ownLimit === undefined ? leastHits : ownLimit - (limit - totalHits);
  return { limit: ownLimit, totalHits: Math.max(leastHits, used), resetAtMs };
}

/**
 * When a refused client may retry. The server spreads `retryAfter` over up to a tenth more; one hit never waits longer than
 * the longest window that refused it, so the spread ends there.
 */
function retryAtMs({ retryAfter, policies }: Decision): number | undefined {
  if (retryAfter === null) return undefined;
  const windows = policies
    .filter(({ success, mode, window }) => !success && mode === 'enforce' && window > 0)
    .map(({ window }) => window);
  const waitS = windows.length === 0 ? retryAfter : Math.min(retryAfter, Math.max(...windows));
  return Date.now() + waitS * 1000;
}

/** What is sent of a library's key. Some write the network of an IPv6 client, `2001:db8::/56`: its first address stands for it. */
export function subjectOf({ dimension = 'client' }: StoreOptions, key: string): Record<string, string> {
  return { [dimension]: dimension === 'ip' ? key.replace(/\/\d+$/, '') : key };
}
