import { Injectable } from '@nestjs/common';
import {
  type Adjustment,
  type ChildFloor,
  childFloorsSchema,
  type Floor,
  MAX_ADJUSTMENTS,
  type TenantRecord,
  type TierRecord,
} from '@tollgate/contracts';
import { type Prisma, TenantStatus } from '@tollgate/database';
import { TenantView } from '@tollgate/decision-plane/operate';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import {
  type LimitRecord,
  type PublishedTier,
  PublishedTiersRepository,
  toVersionRecord,
  toWireCarryOver,
} from '../../catalogue/index.js';
import { isLiveRule, toSubjectRule } from '../subject-rules/subject-rule.rules.js';
import { readAdjustments, type StoredAdjustment, toAdjustment } from './adjustment-schedule.js';

/** Columns of a tenant's record. */
export const TENANT_FIELDS = {
  key: true,
  parentKey: true,
  status: true,
  timeZone: true,
  billingAnchorDay: true,
  subscription: {
    select: {
      pinnedVersionNumber: true,
      generation: true,
      adjustments: true,
      tier: { select: { key: true } },
      moves: {
        orderBy: { at: 'asc' },
        include: { version: { select: { tier: { select: { key: true } } } } },
      },
      scheduledChanges: { orderBy: { at: 'asc' } },
    },
  },
  apiKeys: {
    where: { revokedAt: null },
    orderBy: { id: 'asc' },
    include: { secrets: { orderBy: { id: 'desc' } } },
  },
  alertThresholds: { orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }] },
  subjectRules: { where: { removedAt: null }, orderBy: { id: 'asc' } },
  children: {
    where: { status: { not: TenantStatus.ARCHIVED }, NOT: { floors: { equals: [] } } },
    orderBy: { key: 'asc' },
    select: { key: true, floors: true },
  },
} satisfies Prisma.TenantSelect;

export type TenantFields = Prisma.TenantGetPayload<{ select: typeof TENANT_FIELDS }>;

/**
 * The tenant record published to nodes; undefined without a subscription. Default values and API keys expired by `now` are
 * omitted. Scheduled changes that are due need no special handling: nodes apply them by time.
 */
export function toTenantRecord(row: TenantFields, revision: number, now: Date): TenantRecord | undefined {
  const { key, parentKey, status, subscription } = row;
  if (subscription === null) return undefined;
  const table = new AdjustmentTable();
  const adjusted = table.take(subscription.adjustments);
  const next = subscription.scheduledChanges.map(({ at, generation, carryOver, adjustments }) => ({
    atMs: at.getTime(),
    generation,
    carryOver: toWireCarryOver(carryOver),
    ...table.take(adjustments),
  }));
  const moves = subscription.moves.toReversed().map((move) => ({
    tier: move.version.tier.key,
    version: move.versionNumber,
    generation: move.generation,
    carryOver: toWireCarryOver(move.carryOver),
    atMs: move.at.getTime(),
    ...calendarOf(move),
    taken: table.take(move.adjustments),
  }));
  // The newest past states that fit; older ones are dropped.
  const end = moves.findIndex(({ taken }) => taken === undefined);
  const published = moves
    .slice(0, end < 0 ? moves.length : end)
    .map(({ taken, ...move }) => ({ ...move, ...taken }));
  return {
    kind: 'tenant',
    revision,
    tenant: key,
    ...(parentKey === null ? {} : { parent: parentKey }),
    status: status === 'ACTIVE' ? 'active' : 'suspended',
    tier: subscription.tier.key,
    pinnedVersion: subscription.pinnedVersionNumber,
    ...(subscription.generation === 0 ? {} : { generation: subscription.generation }),
    ...(published.length === 0 ? {} : { moves: published.toReversed() }),
    ...(table.all.length === 0 ? {} : { adjustments: table.all }),
    ...adjusted,
    ...(next.length === 0 ? {} : { next }),
    ...calendarOf(row),
    ...keysOf(row, now),
    ...alertsOf(row),
    ...subjectRulesOf(row, now),
    ...floorsOf(row),
  };
}

/** @throws Error for a column that is no list of floors: only a manual edit of the database writes one */
export function readFloors(column: unknown): ChildFloor[] {
  return childFloorsSchema.parse(column);
}

/** The floors of its children. In the scope of a member, who sees no children, there are none. */
function floorsOf({ children }: TenantFields): Pick<TenantRecord, 'floors'> {
  const floors = children.flatMap(({ key: child, floors }) =>
    readFloors(floors).map((floor): Floor => ({ child, ...floor })),
  );
  return floors.length === 0 ? {} : { floors };
}

/** Rules that have not ended; nodes check start and end themselves. */
function subjectRulesOf({ subjectRules }: TenantFields, now: Date): Pick<TenantRecord, 'subjectRules'> {
  const rules = subjectRules.filter((row) => isLiveRule(row, now)).map(toSubjectRule);
  return rules.length === 0 ? {} : { subjectRules: rules };
}

/** API keys that have not expired; nodes check expiry themselves. */
function keysOf({ apiKeys }: TenantFields, now: Date): Pick<TenantRecord, 'keys'> {
  const isOver = (at: Date | null) => at !== null && at <= now;
  const keys = apiKeys
    .filter(({ expiresAt }) => !isOver(expiresAt))
    .map(({ publicId, secrets, scopes, expiresAt }) => ({
      publicId,
      secrets: secrets
        .filter(({ endsAt }) => !isOver(endsAt))
        .map(({ hash, pepperVersion, endsAt }) => ({
          hash,
          ...(pepperVersion === 1 ? {} : { pepper: pepperVersion }),
          ...(endsAt === null ? {} : { untilMs: endsAt.getTime() }),
        })),
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(expiresAt === null ? {} : { expiresAtMs: expiresAt.getTime() }),
    }));
  return keys.length === 0 ? {} : { keys };
}

function alertsOf({ alertThresholds }: TenantFields): Pick<TenantRecord, 'alerts'> {
  const alerts = alertThresholds.map(({ apiKey, limitName, percents }) => ({
    ...(apiKey === '' ? {} : { api: apiKey }),
    ...(limitName === '' ? {} : { limit: limitName }),
    percents,
  }));
  return alerts.length === 0 ? {} : { alerts };
}

/** The adjustments of a record, stored once and referenced by index. */
class AdjustmentTable {
  readonly all: Adjustment[] = [];

  /** The indexes of the adjustments in a column; undefined if they do not fit. */
  take(column: unknown): { adjusted?: number[] } | undefined {
    const adjustments = readAdjustments(column);
    const added = adjustments.filter(({ id }) => !this.all.some((known) => known.id === id));
    if (this.all.length + added.length > MAX_ADJUSTMENTS) return undefined;
    this.all.push(...added.map(toAdjustment));
    if (adjustments.length === 0) return {};
    return { adjusted: adjustments.map(({ id }) => this.all.findIndex((known) => known.id === id)) };
  }
}

function calendarOf({ timeZone, billingAnchorDay }: { timeZone: string; billingAnchorDay: number }) {
  return {
    ...(timeZone === 'UTC' ? {} : { timeZone }),
    ...(billingAnchorDay === 1 ? {} : { billingAnchorDay }),
  };
}

/** Effective limits of a tenant, as nodes compute them. */
export interface TenantSituation {
  view: TenantView;
  /** The limits of its tier version, as `view.limits` lists them. */
  stored: LimitRecord[];
  /** Current and scheduled adjustments, by id. */
  adjustments: ReadonlyMap<string, StoredAdjustment>;
  /** Adjustments in effect. */
  inForce: readonly Adjustment[];
}

type SituationFields = TenantFields & { id: string; subscription: { tierId: string } | null };

/** Computes the effective limits of tenants with the code that nodes use. */
@Injectable()
export class TenantViews {
  constructor(
    private readonly database: Database,
    private readonly tiers: PublishedTiersRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws Error for a tenant without a subscription, which the schema prevents */
  async get(tenantId: string, tx: Tx): Promise<TenantSituation> {
    const situation = (await this.list([tenantId], tx)).get(tenantId);
    if (situation === undefined) throw new Error(`Tenant ${tenantId} is on no published version`);
    return situation;
  }

  async findByKey(key: string): Promise<TenantSituation | undefined> {
    const row = await this.database.client.tenant.findUnique({ where: { key }, select: { id: true } });
    return row === null ? undefined : (await this.list([row.id])).get(row.id);
  }

  /** Situations by tenant id; tenants without a published version are omitted. */
  async list(tenantIds: string[], tx: Tx = this.database.client): Promise<Map<string, TenantSituation>> {
    const rows = await tx.tenant.findMany({
      where: { id: { in: tenantIds } },
      select: {
        ...TENANT_FIELDS,
        id: true,
        subscription: { select: { ...TENANT_FIELDS.subscription.select, tierId: true } },
      },
    });
    const tiers = await this.tiers.list(neededVersions(rows), tx);
    const catalogue = TenantView.catalogueOf({ apis: [], tiers: tiers.map(toTierRecord) });
    const found = rows.map((row) => [row.id, this.situationOf(row, tiers, catalogue)] as const);
    return new Map(
      found.flatMap(([id, situation]) => (situation === undefined ? [] : [[id, situation] as const])),
    );
  }

  private situationOf(
    row: SituationFields,
    tiers: readonly PublishedTier[],
    catalogue: ReturnType<typeof TenantView.catalogueOf>,
  ): TenantSituation | undefined {
    const now = this.clock.now();
    const record = toTenantRecord(row, 1, now);
    const tier = tiers.find(({ id }) => id === row.subscription?.tierId);
    if (record === undefined || tier === undefined) return undefined;
    const number = record.pinnedVersion ?? tier.currentVersion;
    const view = TenantView.of(catalogue, record, now.getTime());
    const stored = tier.versions.find((version) => version.number === number)?.limits ?? [];
    if (view === undefined) return undefined;
    return { view, stored, adjustments: adjustmentsOf(row), inForce: view.adjustments };
  }
}

/** Current and past versions of tenants, per tier id; published versions and their predecessors are included anyway. */
function neededVersions(rows: readonly SituationFields[]): Map<string, Set<number>> {
  const needed = new Map<string, Set<number>>();
  for (const { subscription } of rows) {
    if (subscription === null) continue;
    const { tierId, pinnedVersionNumber, moves } = subscription;
    const pairs: [string, number | null][] = [
      [tierId, pinnedVersionNumber],
      ...moves.map((move): [string, number] => [move.tierId, move.versionNumber]),
    ];
    for (const [id, number] of pairs) {
      const numbers = needed.get(id) ?? new Set();
      if (number !== null) numbers.add(number);
      needed.set(id, numbers);
    }
  }
  return needed;
}

function toTierRecord({ key, weight, currentVersion, versions }: PublishedTier): TierRecord {
  const numbers = new Set(versions.map(({ number }) => number));
  return {
    key,
    weight,
    currentVersion,
    versions: versions.map((version) => toVersionRecord(version, numbers)),
  };
}

function adjustmentsOf({ subscription }: TenantFields): Map<string, StoredAdjustment> {
  const columns = [
    subscription?.adjustments ?? [],
    ...(subscription?.scheduledChanges ?? []).map((change) => change.adjustments),
  ];
  const all = columns.flatMap(readAdjustments);
  return new Map(all.map((adjustment) => [adjustment.id, adjustment]));
}
