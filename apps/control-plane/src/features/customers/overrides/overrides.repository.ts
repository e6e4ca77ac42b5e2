import { Injectable } from '@nestjs/common';
import type { Override, OverrideKind, Prisma } from '@tollgate/database';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { inOrderOf } from '../../../platform/prisma/in-order-of.js';

export type OverrideRow = Override;

export interface OverrideFilter {
  /** Null: all visible tenants. */
  tenantId: string | null;
  kind: OverrideKind | undefined;
  /** Only those in effect at that time or later. */
  liveAt: Date | undefined;
}

export type OverrideTarget = Pick<Override, 'kind' | 'apiKey' | 'limitName' | 'appliesTo'>;

const liveAt = (at: Date) =>
  ({ removedAt: null, OR: [{ endsAt: null }, { endsAt: { gt: at } }] }) satisfies Prisma.OverrideWhereInput;

@Injectable()
export class OverridesRepository {
  constructor(private readonly database: Database) {}

  /** Newest first; at most one row more than the page. */
  list(filter: OverrideFilter, page: Page<string>): Promise<OverrideRow[]> {
    return this.database.client.override.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { id: { lt: page.after } }] },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  /**
   * Overrides that were not removed and did not end before `since`; those managed by a configuration regardless of their end.
   * Newest first, at most one row more than the page. @param tenantId null: all visible tenants
   */
  listKept(tenantId: string | null, since: Date, page: Page<string>): Promise<OverrideRow[]> {
    const isKept = { OR: [{ endsAt: null }, { endsAt: { gt: since } }, { managedBy: 'CONFIG' as const }] };
    return this.database.client.override.findMany({
      where: {
        ...(tenantId === null ? {} : { tenantId }),
        ...(page.after === undefined ? {} : { id: { lt: page.after } }),
        removedAt: null,
        ...isKept,
      },
      orderBy: { id: 'desc' },
      take: page.first + 1,
    });
  }

  count(filter: OverrideFilter): Promise<number> {
    return this.database.client.override.count({ where: matching(filter) });
  }

  findById(id: string, tx: Tx = this.database.client): Promise<OverrideRow | null> {
    return tx.override.findUnique({ where: { id } });
  }

  /** The override for exactly these limits in effect at that time or later. */
  findLive(tx: Tx, tenantId: string, target: OverrideTarget, at: Date): Promise<OverrideRow | null> {
    const { kind, apiKey, limitName, appliesTo } = target;
    return tx.override.findFirst({ where: { tenantId, kind, apiKey, limitName, appliesTo, ...liveAt(at) } });
  }

  /** Overrides of these tenants in effect at that time or later. */
  listLive(tx: Tx, tenantIds: readonly string[], at: Date): Promise<OverrideRow[]> {
    return tx.override.findMany({ where: { tenantId: { in: [...tenantIds] }, ...liveAt(at) } });
  }

  /** In the order of `data`. */
  async create(
    tx: Tx,
    data: readonly (Prisma.OverrideUncheckedCreateInput & { id: string })[],
  ): Promise<OverrideRow[]> {
    return inOrderOf(data, await tx.override.createManyAndReturn({ data: [...data] }));
  }

  listByIds(ids: readonly string[], tx: Tx = this.database.client): Promise<OverrideRow[]> {
    return tx.override.findMany({ where: { id: { in: [...ids] } } });
  }

  /** In the order of `overrides`. */
  async remove(
    tx: Tx,
    overrides: readonly OverrideRow[],
    removedAt: Date,
    removedBy: string,
  ): Promise<OverrideRow[]> {
    if (overrides.length === 0) return [];
    const where = { id: { in: overrides.map(({ id }) => id) } };
    return inOrderOf(
      overrides,
      await tx.override.updateManyAndReturn({ where, data: { removedAt, removedBy } }),
    );
  }

  /** Overrides that expired since a time and have no notice yet, with their tenants. */
  async listEndedWithoutNotice(
    since: Date,
    now: Date,
  ): Promise<(OverrideRow & { tenant: { id: string; key: string } })[]> {
    const ended = await this.database.client.override.findMany({
      where: { removedAt: null, endsAt: { gt: since, lte: now } },
      orderBy: { endsAt: 'asc' },
      include: { tenant: { select: { id: true, key: true } } },
    });
    const sent = await this.database.client.notice.findMany({
      where: { dedupeKey: { in: ended.map(endNoticeKey) } },
      select: { dedupeKey: true },
    });
    const keys = new Set(sent.map(({ dedupeKey }) => dedupeKey));
    return ended.filter((override) => !keys.has(endNoticeKey(override)));
  }
}

/** Deduplication key of the notice about an end. */
export function endNoticeKey({ id }: Pick<OverrideRow, 'id'>): string {
  return `override-ended:${id}`;
}

function matching({ tenantId, kind, liveAt: at }: OverrideFilter): Prisma.OverrideWhereInput {
  return {
    ...(tenantId === null ? {} : { tenantId }),
    ...(kind === undefined ? {} : { kind }),
    ...(at === undefined ? {} : liveAt(at)),
  };
}
