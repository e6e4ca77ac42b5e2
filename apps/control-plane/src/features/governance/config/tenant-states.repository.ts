import { Injectable } from '@nestjs/common';
import { adjustmentEffectSchema } from '@tollgate/contracts';
import { type ManagedBy, OverrideKind, type Prisma } from '@tollgate/database';
import { Clock } from '../../../platform/clock.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { type AlertState, type OverrideState, type TenantState, targetOf } from './tenant-state.rules.js';

/** Something of a tenant that a configuration may keep. */
export interface KeptPart<S> {
  id: string;
  managedBy: ManagedBy;
  state: S;
}

/** A tenant as it is. */
export interface PresentTenant {
  id: string;
  key: string;
  version: number;
  managedBy: ManagedBy;
  tags: string[];
  state: TenantState;
  /** Those that are in force or will be. */
  overrides: KeptPart<OverrideState>[];
  alerts: KeptPart<AlertState>[];
}

const INCLUDE = {
  subscription: { include: { tier: { select: { key: true } } } },
  overrides: { where: { kind: OverrideKind.OVERRIDE, removedAt: null }, orderBy: { id: 'desc' } },
  alertThresholds: { orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }] },
} satisfies Prisma.TenantInclude;

type TenantWithParts = Prisma.TenantGetPayload<{ include: typeof INCLUDE }>;

/** Reads tenants as a configuration says them. */
@Injectable()
export class TenantStatesRepository {
  constructor(private readonly clock: Clock) {}

  /** By key. */
  async list(keys: string[] | 'all', tx: Tx): Promise<PresentTenant[]> {
    const where = keys === 'all' ? {} : { key: { in: keys } };
    const rows = await tx.tenant.findMany({ where, orderBy: { key: 'asc' }, include: INCLUDE });
    return rows.map((row) => this.read(row));
  }

  private read(row: TenantWithParts): PresentTenant {
    const { id, key, name, version, managedBy, timeZone, billingAnchorDay, tags, subscription } = row;
    // Whom a publication holds back is not pinned by anybody's wish.
    const pinnedVersion = subscription?.heldBack === true ? null : subscription?.pinnedVersionNumber;
    const now = this.clock.now();
    const overrides = newestOfEach(row.overrides.map(readOverride));
    const alerts = row.alertThresholds.map(readAlert);
    const isLive = ({ state: { expires } }: KeptPart<OverrideState>) =>
      expires === null || new Date(expires) > now;
    const facts = { name, timeZone, billingAnchorDay, tags };
    return {
      id,
      key,
      version,
      managedBy,
      tags,
      state: {
        facts: { ...facts, tier: subscription?.tier.key ?? '', pinnedVersion: pinnedVersion ?? null },
        // What a configuration said and is over still is what it says.
        overrides: overrides.flatMap((one) => (isLive(one) || one.managedBy === 'CONFIG' ? [one.state] : [])),
        alerts: alerts.map(({ state }) => state),
      },
      overrides: overrides.filter(isLive),
      alerts,
    };
  }
}

function readOverride(row: TenantWithParts['overrides'][number]): KeptPart<OverrideState> {
  const { id, managedBy, apiKey, limitName, appliesTo, effect, startsAt, endsAt, carryOver, reason } = row;
  return {
    id,
    managedBy,
    state: {
      api: apiKey,
      limit: limitName,
      appliesTo: appliesTo === null ? null : appliesTo === 'RATE' ? 'rate' : 'quota',
      effect: adjustmentEffectSchema.parse(effect),
      starts: startsAt.toISOString(),
      expires: endsAt?.toISOString() ?? null,
      carryOver,
      reason,
    },
  };
}

function readAlert(row: TenantWithParts['alertThresholds'][number]): KeptPart<AlertState> {
  const { id, managedBy, apiKey, limitName, percents } = row;
  const state = {
    api: apiKey === '' ? null : apiKey,
    limit: limitName === '' ? null : limitName,
    percents,
  };
  return { id, managedBy, state };
}

/** One may have ended, and another have been made for the same limits since. */
function newestOfEach(overrides: readonly KeptPart<OverrideState>[]): KeptPart<OverrideState>[] {
  const newest = new Map<string, KeptPart<OverrideState>>();
  for (const one of overrides) {
    const target = targetOf(one.state);
    if (!newest.has(target)) newest.set(target, one);
  }
  return [...newest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
