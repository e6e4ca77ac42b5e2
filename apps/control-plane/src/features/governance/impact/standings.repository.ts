import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/prisma/database.js';
import type { Standing } from './policy-view.js';

/** Counts tenants by what decides their limits: one query, however many there are. */
@Injectable()
export class StandingsRepository {
  /** Tenants with a subscription, those of `except` (keys) left out. */
  async count(tx: Tx, except: readonly string[]): Promise<{ standing: Standing; tenants: number }[]> {
    const rows = await tx.$queryRaw<
      { status: string; tier: string; pinned: number | null; tenants: number }[]
    >`
      SELECT lower(tenant.status::text) AS status, tier.key AS tier, subscription.pinned_version_number AS pinned,
        count(*)::int AS tenants
      FROM subscription
      JOIN tenant ON tenant.id = subscription.tenant_id
      JOIN tier ON tier.id = subscription.tier_id
      WHERE tenant.key <> ALL (${except}::text[])
      GROUP BY 1, 2, 3`;
    return rows.map(({ status, tier, pinned, tenants }) => ({
      standing: {
        status: status === 'active' ? 'active' : 'suspended',
        tier,
        pinnedVersion: pinned,
        adjustments: [],
      },
      tenants,
    }));
  }

  /** Keys of tenants that have, or had lately, a limit of their own: not even two of them need stand alike. */
  async listAdjusted(tx: Tx): Promise<string[]> {
    const rows = await tx.$queryRaw<{ key: string }[]>`
      SELECT key FROM tenant WHERE id IN (
        SELECT tenant_id FROM entitlement
        UNION SELECT tenant_id FROM override WHERE removed_at IS NULL AND (ends_at IS NULL OR ends_at > now()))`;
    return rows.map(({ key }) => key);
  }
}
