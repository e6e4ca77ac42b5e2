import { Injectable } from '@nestjs/common';
import { adjustmentEffectSchema } from '@tollgate/contracts';
import { type Entitlement, EntitlementKind, type Override } from '@tollgate/database';
import type { Tx } from '../../../platform/prisma/database.js';
import { type TimedAdjustment } from '../tenants/adjustment-schedule.js';

type Target = Pick<Entitlement, 'apiKey' | 'limitName' | 'appliesTo' | 'effect'>;

/** Reads what changes a tenant's limits: the ledger, overrides and boosts. */
@Injectable()
export class AdjustmentsRepository {
  /** What is in force now or will be. */
  async listTimed(tx: Tx, tenantId: string, now: Date): Promise<TimedAdjustment[]> {
    const isLive = { OR: [{ endsAt: null }, { endsAt: { gt: now } }] };
    const grants = await tx.entitlement.findMany({
      where: { tenantId, kind: EntitlementKind.GRANT, ...isLive },
      include: { ends: { select: { endsAt: true } } },
    });
    const overrides = await tx.override.findMany({ where: { tenantId, removedAt: null, ...isLive } });
    const timed = [
      ...grants.map((grant) => ({
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
        adjustment: {
          id: override.id,
          source: override.kind === 'BOOST' ? ('boost' as const) : ('override' as const),
          // Not the reason: what operators write to each other is not for the tenant's people.
          label: override.kind === 'BOOST' ? 'Boost' : 'Override',
          ...targetOf(override),
        },
        startsAt: override.startsAt,
        endsAt: override.endsAt,
        carryOver: override.carryOver,
      })),
    ];
    return timed.filter(({ endsAt }) => endsAt === null || endsAt > now);
  }
}

/** When the first of these comes; null: none does. */
export function earliest(rows: readonly { endsAt: Date | null }[]): Date | null {
  const times = rows.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt.getTime()]));
  return times.length === 0 ? null : new Date(Math.min(...times));
}

/** @throws Error for a row that holds no effect: nothing but a hand in the database writes one. */
export function targetOf({ apiKey, limitName, appliesTo, effect }: Target | Override) {
  return {
    effect: adjustmentEffectSchema.parse(effect),
    ...(apiKey === null ? {} : { api: apiKey }),
    ...(limitName === null ? {} : { limit: limitName }),
    ...(appliesTo === null ? {} : { appliesTo: appliesTo.toLowerCase() as Lowercase<typeof appliesTo> }),
  };
}
