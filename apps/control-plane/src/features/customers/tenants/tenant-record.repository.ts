import { type Adjustment, MAX_ADJUSTMENTS, type TenantRecord } from '@tollgate/contracts';
import type { Prisma } from '@tollgate/database';
import { toWireCarryOver } from '../../catalogue/index.js';
import { readAdjustments, toAdjustment } from './stored-adjustment.js';

/** What a tenant's record is made of. */
export const TENANT_FIELDS = {
  key: true,
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
      stations: { orderBy: { at: 'asc' } },
    },
  },
  apiKeys: {
    where: { revokedAt: null },
    orderBy: { id: 'asc' },
    include: { secrets: { orderBy: { id: 'desc' } } },
  },
  alertThresholds: { orderBy: [{ apiKey: 'asc' }, { limitName: 'asc' }] },
} satisfies Prisma.TenantSelect;

export type TenantFields = Prisma.TenantGetPayload<{ select: typeof TENANT_FIELDS }>;

/**
 * A tenant as nodes know it; undefined for one without a subscription. What is as nodes take it to be is left out, and keys that
 * are over by `now`. Times that have come since the stations were planned make no difference: nodes see that for themselves.
 */
export function toTenantRecord(row: TenantFields, revision: number, now: Date): TenantRecord | undefined {
  const { key, status, subscription } = row;
  if (subscription === null) return undefined;
  const places = new AdjustmentPlaces();
  const adjusted = places.take(subscription.adjustments);
  const next = subscription.stations.map(({ at, generation, carryOver, adjustments }) => ({
    atMs: at.getTime(),
    generation,
    carryOver: toWireCarryOver(carryOver),
    ...places.take(adjustments),
  }));
  const moves = subscription.moves.toReversed().map((move) => ({
    tier: move.version.tier.key,
    version: move.versionNumber,
    generation: move.generation,
    carryOver: toWireCarryOver(move.carryOver),
    atMs: move.at.getTime(),
    ...calendarOf(move),
    taken: places.take(move.adjustments),
  }));
  // The newest as long as there is room; what was left before counts as it stands.
  const end = moves.findIndex(({ taken }) => taken === undefined);
  const told = moves
    .slice(0, end < 0 ? moves.length : end)
    .map(({ taken, ...move }) => ({ ...move, ...taken }));
  return {
    kind: 'tenant',
    revision,
    tenant: key,
    status: status === 'ACTIVE' ? 'active' : 'suspended',
    tier: subscription.tier.key,
    pinnedVersion: subscription.pinnedVersionNumber,
    ...(subscription.generation === 0 ? {} : { generation: subscription.generation }),
    ...(told.length === 0 ? {} : { moves: told.toReversed() }),
    ...(places.all.length === 0 ? {} : { adjustments: places.all }),
    ...adjusted,
    ...(next.length === 0 ? {} : { next }),
    ...calendarOf(row),
    ...keysOf(row, now),
    ...alertsOf(row),
  };
}

/** Keys that work now or will stop to by themselves; nodes go by the clock. */
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

/** The adjustments of a record, each once, however many of its stations have it. */
class AdjustmentPlaces {
  readonly all: Adjustment[] = [];

  /** The places of those in a column; undefined when there is no room for them. */
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
