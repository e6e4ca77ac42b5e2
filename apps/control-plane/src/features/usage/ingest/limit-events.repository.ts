import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { LimitCrossing, Offender } from '@tollgate/contracts';
import { periodAt } from '@tollgate/decision-plane/internals';
import { newId } from '../../../platform/ids.js';
import type { Tx } from '../../../platform/prisma/database.js';
import type { KnownTenant } from './series-dictionary.js';

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

/** Something that happened in a tenant, its key resolved. */
export type OfTenant<T> = T & { tenantId: string };

/** What frames tell of limits besides counts: crossed thresholds and offenders. */
@Injectable()
export class LimitEventsRepository {
  /** Keeps crossings. Returns those that were not known. */
  async addCrossings(
    tx: Tx,
    crossings: readonly OfTenant<LimitCrossing>[],
  ): Promise<OfTenant<LimitCrossing>[]> {
    if (crossings.length === 0) return [];
    const byId = new Map(crossings.map((crossing) => [idOf(crossing), crossing]));
    const data = [...byId].map(([id, { tenantId, api, limit, counter, percent, used, capacity, atMs }]) => ({
      id,
      tenantId,
      api,
      limitName: limit,
      counter,
      percent,
      used,
      capacity,
      at: new Date(atMs),
    }));
    const added = await tx.limitCrossing.createManyAndReturn({
      data,
      skipDuplicates: true,
      select: { id: true },
    });
    return added.flatMap(({ id }) => byId.get(id) ?? []);
  }

  /** Adds refusals up by counter and hour. */
  async addOffenders(tx: Tx, offenders: readonly OfTenant<Offender>[], hour: Date): Promise<void> {
    if (offenders.length === 0) return;
    const sums = new Map<string, OfTenant<Offender>>();
    for (const offender of offenders) {
      const key = `${offender.tenantId} ${offender.counter}`;
      const known = sums.get(key);
      if (known === undefined) sums.set(key, { ...offender });
      else {
        known.units += offender.units;
        known.error += offender.error;
      }
    }
    const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    await tx.$executeRaw`
      INSERT INTO "limit_offender" AS kept ("tenant_id", "at", "counter", "api", "limit_name", "units", "error")
      SELECT "tenant_id", ${hour}, "counter", "api", "limit_name", "units", "error"
      FROM unnest(
        ${rows.map(({ tenantId }) => tenantId)}::text[],
        ${rows.map(({ counter }) => counter)}::text[],
        ${rows.map(({ api }) => api)}::text[],
        ${rows.map(({ limit }) => limit)}::text[],
        ${rows.map(({ units }) => `${units}`)}::bigint[],
        ${rows.map(({ error }) => `${error}`)}::bigint[]
      ) AS added ("tenant_id", "counter", "api", "limit_name", "units", "error")
      ON CONFLICT ("tenant_id", "at", "counter")
      DO UPDATE SET "units" = kept."units" + excluded."units", "error" = kept."error" + excluded."error"`;
  }

  /** Tells people; of notices with one `dedupeKey`, once. */
  async addNotices(tx: Tx, notices: readonly CrossingNotice[]): Promise<void> {
    if (notices.length === 0) return;
    const data = notices.map(({ kind, tenant, data, dedupeKey }) => ({
      id: newId('notice'),
      kind,
      tenantId: tenant.id,
      tenantKey: tenant.key,
      data: { ...data },
      dedupeKey,
    }));
    await tx.notice.createMany({ data, skipDuplicates: true });
  }
}

/** Ids name counters, which may be long: an index would refuse them. */
function idOf({ id }: LimitCrossing): string {
  return createHash('sha256').update(id).digest('base64url');
}
