import { Injectable } from '@nestjs/common';
import { adjustmentEffectSchema, adjustmentSchema } from '@tollgate/contracts';
import {
  type Entitlement,
  EntitlementKind,
  type Override,
  type Prisma,
  type Purchase,
} from '@tollgate/database';
import * as z from 'zod';
import type { Page } from '../../../platform/graphql/connection.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import type { TimedAdjustment } from '../tenants/adjustment-schedule.js';
import { timedWarmUps } from '../tenants/warm-up.js';
import type { OrderedEffect } from './purchase-effects.rules.js';

type Target = Pick<Entitlement, 'apiKey' | 'limitName' | 'appliesTo' | 'effect'>;

/** Reads all adjustments of a tenant's limits: warm-up, ledger, overrides and boosts. */
@Injectable()
export class AdjustmentsRepository {
  constructor(private readonly database: Database) {}

  /** Adjustments in effect at that time or later. */
  async listTimed(tx: Tx, tenantId: string, since: Date): Promise<TimedAdjustment[]> {
    return (await this.listTimedOf(tx, [tenantId], since)).get(tenantId) ?? [];
  }

  /** As `listTimed`, for many tenants, by id. */
  async listTimedOf(
    tx: Tx,
    tenantIds: readonly string[],
    since: Date,
  ): Promise<Map<string, TimedAdjustment[]>> {
    const tenantId = { in: [...tenantIds] };
    const isLive = { OR: [{ endsAt: null }, { endsAt: { gt: since } }] };
    const grants = await tx.entitlement.findMany({
      where: { tenantId, kind: EntitlementKind.GRANT, ...isLive },
      include: { ends: { select: { endsAt: true } } },
    });
    const overrides = await tx.override.findMany({
      where: { tenantId, AND: [isLive, { OR: [{ removedAt: null }, { removedAt: { gt: since } }] }] },
    });
    const subscriptions = await tx.subscription.findMany({
      where: { tenantId },
      select: { tenantId: true, warmUp: true },
    });
    const timed = [
      ...subscriptions.flatMap(({ tenantId: of, warmUp }) =>
        timedWarmUps(warmUp).map((ramp) => ({ tenantId: of, ...ramp })),
      ),
      ...grants.map((grant) => ({
        tenantId: grant.tenantId,
        adjustment: {
          id: grant.id,
          source: grant.source === 'TOPUP' ? ('topup' as const) : ('upgrade' as const),
          label: grant.label,
          ...targetOf(grant),
        },
        startsAt: grant.startsAt,
        endsAt: earliest([grant, ...grant.ends]),
        carryOver: grant.carryOver,
      })),
      ...overrides.map((override) => ({
        tenantId: override.tenantId,
        adjustment: {
          id: override.id,
          source: sourceOfOverride(override),
          // Not the reason: members of the tenant must not read internal notes.
          label: { BOOST: 'Boost', OVERRIDE: 'Override', OWN: "Customer's own limit" }[override.kind],
          ...targetOf(override),
        },
        startsAt: override.startsAt,
        endsAt: earliest([override, { endsAt: override.removedAt }]),
        carryOver: override.carryOver,
      })),
    ];
    const live = timed.filter(({ endsAt }) => endsAt === null || endsAt > since);
    const groups = Map.groupBy(live, ({ tenantId: of }) => of);
    return new Map([...groups].map(([id, group]) => [id, group.map(({ tenantId: _, ...rest }) => rest)]));
  }

  /** Effects of orders that are not paid yet or whose payment needs review, by tenant id. */
  async listOrdered(
    tenantIds: string[],
    tx: Tx = this.database.client,
  ): Promise<Map<string, OrderedEffect[]>> {
    const orders = await tx.purchase.findMany({
      where: { tenantId: { in: tenantIds }, status: { in: ['PENDING', 'PROCESSING', 'NEEDS_REVIEW'] } },
      select: { id: true, tenantId: true, kind: true, label: true, effects: true },
      orderBy: { id: 'asc' },
    });
    const groups = Map.groupBy(orders, ({ tenantId }) => tenantId);
    return new Map([...groups].map(([id, group]) => [id, group.flatMap(orderedEffectsOf)]));
  }

  /** Tenants that have a top-up or rollover, and an override or boost, in effect; by key. */
  listTenantsWithUnits(tx: Tx, now: Date): Promise<{ id: string; key: string }[]> {
    const isLive = { startsAt: { lte: now }, OR: [{ endsAt: null }, { endsAt: { gt: now } }] };
    return tx.tenant.findMany({
      where: {
        entitlements: { some: { kind: EntitlementKind.GRANT, source: 'TOPUP', ...isLive } },
        overrides: { some: { kind: { in: ['OVERRIDE', 'BOOST'] }, removedAt: null, ...isLive } },
      },
      select: { id: true, key: true },
      orderBy: { key: 'asc' },
    });
  }

  /** Tier and version of a tenant over time, oldest first; the last one has no end and, unless pinned, no version. */
  async listVersions(tx: Tx, tenantId: string): Promise<VersionPeriod[]> {
    const { tierId, pinnedVersionNumber, moves } = await tx.subscription.findUniqueOrThrow({
      where: { tenantId },
      select: { tierId: true, pinnedVersionNumber: true, moves: { orderBy: { at: 'asc' } } },
    });
    return [
      ...moves.map((move) => ({ tierId: move.tierId, version: move.versionNumber, until: move.at })),
      { tierId, version: pinnedVersionNumber, until: null },
    ];
  }
}

/** @throws Error for an invalid effect, which only a manual edit of the database can cause */
function orderedEffectsOf(order: Pick<Purchase, 'id' | 'kind' | 'label' | 'effects'>): OrderedEffect[] {
  const source = order.kind === 'TOPUP' ? 'topup' : 'upgrade';
  return z
    .array(z.looseObject({}))
    .parse(order.effects)
    .map((effect, index) => ({
      ...adjustmentSchema.parse({ ...effect, id: `${order.id}-${index}`, source }),
      label: order.label,
    }));
}

export interface VersionPeriod {
  tierId: string;
  /** Version at the end of the period; null: the published one. */
  version: number | null;
  until: Date | null;
}

/** The stage at which an override applies. */
export const sourceOfOverride = ({ kind }: Pick<Override, 'kind'>) =>
  kind.toLowerCase() as Lowercase<Override['kind']>;

/** The earliest end; null: none. */
export function earliest(rows: readonly { endsAt: Date | null }[]): Date | null {
  const times = rows.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt.getTime()]));
  return times.length === 0 ? null : new Date(Math.min(...times));
}

/** @throws Error for an invalid effect, which only a manual edit of the database can cause */
export function targetOf({ apiKey, limitName, appliesTo, effect }: Target | Override) {
  return {
    effect: adjustmentEffectSchema.parse(effect),
    ...(apiKey === null ? {} : { api: apiKey }),
    ...(limitName === null ? {} : { limit: limitName }),
    ...(appliesTo === null ? {} : { appliesTo: appliesTo.toLowerCase() as Lowercase<typeof appliesTo> }),
  };
}

/** A grant with the rows that end it. */
export type EntitlementRow = Entitlement & { ends: Entitlement[] };

export interface EntitlementFilter {
  /** Null: all visible tenants. */
  tenantId: string | null;
  /** Only grants in effect at that time or later. */
  liveAt: Date | undefined;
}

const WITH_ENDS = { ends: { orderBy: { id: 'asc' } } } satisfies Prisma.EntitlementInclude;

@Injectable()
export class EntitlementsRepository {
  constructor(private readonly database: Database) {}

  /** Grants, newest first; one row beyond the page if there is a next page. */
  list(filter: EntitlementFilter, page: Page<string>): Promise<EntitlementRow[]> {
    return this.database.client.entitlement.findMany({
      where: { AND: [matching(filter), page.after === undefined ? {} : { id: { lt: page.after } }] },
      orderBy: { id: 'desc' },
      take: page.first + 1,
      include: WITH_ENDS,
    });
  }

  count(filter: EntitlementFilter): Promise<number> {
    return this.database.client.entitlement.count({ where: matching(filter) });
  }

  findById(id: string): Promise<EntitlementRow | null> {
    return this.database.client.entitlement.findFirst({
      where: { id, kind: EntitlementKind.GRANT },
      include: WITH_ENDS,
    });
  }

  /** Grants of a tenant by id, or all of a purchase. */
  listGrants(
    tx: Tx,
    tenantId: string,
    which: { ids: string[] } | { purchaseId: string },
  ): Promise<EntitlementRow[]> {
    const chosen = 'ids' in which ? { id: { in: which.ids } } : { purchaseId: which.purchaseId };
    return tx.entitlement.findMany({
      where: { tenantId, kind: EntitlementKind.GRANT, ...chosen },
      orderBy: { id: 'asc' },
      include: WITH_ENDS,
    });
  }

  /** Top-ups of monthly quotas and rolled-over units among the tenant's grants, by id. */
  async listUnits(tx: Tx, tenantId: string, ids: string[]): Promise<Map<string, EntitlementRow>> {
    const rows = await this.listGrants(tx, tenantId, { ids });
    const counted = rows.filter(({ cause, unitsExpireAt }) => cause === 'ROLLOVER' || unitsExpireAt !== null);
    return new Map(counted.map((row) => [row.id, row]));
  }

  async add(tx: Tx, rows: Prisma.EntitlementCreateManyInput[]): Promise<void> {
    await tx.entitlement.createMany({ data: rows });
  }
}

function matching({ tenantId, liveAt }: EntitlementFilter): Prisma.EntitlementWhereInput {
  const isLater = liveAt && { OR: [{ endsAt: null }, { endsAt: { gt: liveAt } }] };
  return {
    kind: EntitlementKind.GRANT,
    ...(tenantId === null ? {} : { tenantId }),
    ...(liveAt === undefined ? {} : { ...isLater, ends: { none: { endsAt: { lte: liveAt } } } }),
  };
}
