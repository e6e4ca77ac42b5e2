import type { LimitCrossing } from '@tollgate/contracts';
import { periodAt } from '@tollgate/decision-plane/internals';
import type { KnownTenant } from './tenant-directory.js';

/** A notice that a crossing makes. */
export interface CrossingNotice {
  kind: 'limit.near' | 'limit.reached';
  tenant: { id: string; key: string };
  data: { api: string; limit: string; percent: number; used: number; capacity: number; at: string };
  dedupeKey: string;
}

/** Counters of users, addresses and so on carry the values that they count by behind their stem. */
const HAS_VALUES = /[=~#^?]/;

/**
 * What a tenant is told of a crossing: of limits on the tenant as a whole, each threshold once a day of its own. A limit by
 * user has as many counters as users, and one by minute begins anew all day: who wants to know finds them in usage.
 */
export function noticeOf(crossing: LimitCrossing, tenant: KnownTenant): CrossingNotice | undefined {
  const { api, limit, percent, used, capacity, atMs, counter } = crossing;
  // The hash tag of a limit on all tenants together begins with one of the marks, too: it is nobody's own.
  if (HAS_VALUES.test(counter)) return undefined;
  const day = periodAt('day', tenant.timeZone, 1, atMs).startMs;
  return {
    kind: percent >= 100 ? 'limit.reached' : 'limit.near',
    tenant: { id: tenant.id, key: tenant.key },
    data: { api, limit, percent, used, capacity, at: new Date(atMs).toISOString() },
    dedupeKey: `limit ${tenant.id} ${api} ${limit} ${percent} ${day}`,
  };
}
