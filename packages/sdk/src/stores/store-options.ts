import type { Decision } from '../client/decision.js';
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

/** A count as such libraries compare it with the number in code. */
export interface Hits {
  totalHits: number;
  /** Unix ms at which it is worth to come again, or at which the counter is empty again; undefined: not known. */
  resetAtMs: number | undefined;
}

/**
 * A decision as a number of hits: more than `ownLimit` if it was refused, else what leaves `remaining` of it. So Tollgate
 * decides, and the number in code is what headers of the library count from.
 * @param ownLimit undefined where the library does not say it beforehand
 * @param leastHits 1 for a request that was just counted
 */
export function hitsOf(decision: Decision, ownLimit: number | undefined, leastHits: 0 | 1): Hits {
  const { success, remaining, reset, retryAfter } = decision;
  if (!success) {
    const totalHits = ownLimit === undefined ? Number.MAX_SAFE_INTEGER : ownLimit + 1;
    return { totalHits, resetAtMs: retryAfter === null ? undefined : Date.now() + retryAfter * 1000 };
  }
  const used = ownLimit === undefined || remaining === null ? leastHits : ownLimit - remaining;
  return { totalHits: Math.max(leastHits, used), resetAtMs: reset ?? undefined };
}

/** What is sent of a library's key. Some write the network of an IPv6 client, `2001:db8::/56`: its first address stands for it. */
export function subjectOf({ dimension = 'client' }: StoreOptions, key: string): Record<string, string> {
  return { [dimension]: dimension === 'ip' ? key.replace(/\/\d+$/, '') : key };
}
