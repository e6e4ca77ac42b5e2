import { Injectable } from '@nestjs/common';
import type { Adjustment, TierRecord } from '@tollgate/contracts';
import { TenantView } from '@tollgate/decision-plane/internals';
import { Clock } from '../../../platform/clock.js';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import {
  type LimitRecord,
  type PublishedTier,
  PublishedTiersRepository,
  toVersionRecord,
} from '../../catalogue/index.js';
import { readAdjustments, type StoredAdjustment } from './stored-adjustment.js';
import { TENANT_FIELDS, type TenantFields, toTenantRecord } from './tenant-record.repository.js';

/** What applies to a tenant now, as nodes have it. */
export interface TenantSituation {
  view: TenantView;
  /** The limits of its tier version, as `view.limits` lists them. */
  stored: LimitRecord[];
  /** What changes its limits now or later, by id. */
  adjustments: ReadonlyMap<string, StoredAdjustment>;
  /** What changes its limits now. */
  inForce: readonly Adjustment[];
}

type SituationFields = TenantFields & { id: string; subscription: { tierId: string } | null };

/** Finds what applies to tenants by the very code that nodes decide by. */
@Injectable()
export class TenantViews {
  constructor(
    private readonly database: Database,
    private readonly tiers: PublishedTiersRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws Error for a tenant without a subscription, which the database does not let happen to one made here. */
  async get(tenantId: string, tx: Tx): Promise<TenantSituation> {
    const situation = (await this.list([tenantId], tx)).get(tenantId);
    if (situation === undefined) throw new Error(`Tenant ${tenantId} is on no published version`);
    return situation;
  }

  /** Situations by tenant id; a tenant that is on no published version is left out. */
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
    const found = rows.map((row) => [row.id, this.situationOf(row, tiers)] as const);
    return new Map(
      found.flatMap(([id, situation]) => (situation === undefined ? [] : [[id, situation] as const])),
    );
  }

  private situationOf(row: SituationFields, tiers: readonly PublishedTier[]): TenantSituation | undefined {
    const now = this.clock.now();
    const record = toTenantRecord(row, 1, now);
    const tier = tiers.find(({ id }) => id === row.subscription?.tierId);
    if (record === undefined || tier === undefined) return undefined;
    const number = record.pinnedVersion ?? tier.currentVersion;
    const view = TenantView.of({ apis: [], tiers: tiers.map(toTierRecord) }, record, now.getTime());
    const stored = tier.versions.find((version) => version.number === number)?.limits ?? [];
    if (view === undefined) return undefined;
    return { view, stored, adjustments: adjustmentsOf(row), inForce: view.adjustments };
  }
}

/** Versions that tenants are on or were on, per tier id; those in force, and what they replaced, are found anyway. */
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
    ...(subscription?.stations ?? []).map((s) => s.adjustments),
  ];
  const all = columns.flatMap(readAdjustments);
  return new Map(all.map((adjustment) => [adjustment.id, adjustment]));
}
