import { Injectable } from '@nestjs/common';
import { Prisma } from '@tollgate/database';
import { Database, type Tx } from '../../../platform/prisma/database.js';
import { type AffectedGroup, type LimitProfile, type OverrunProbe } from './impact.rules.js';

interface NamedTenant {
  key: string;
  name: string;
}

export interface OverrunRow extends NamedTenant {
  peak: bigint;
  /** Units above the limit, and all units, of all windows. */
  excess: bigint;
  units: bigint;
  at: Date;
}

const TABLES = {
  minute: Prisma.sql`"usage_minute"`,
  hour: Prisma.sql`"usage_hour"`,
  day: Prisma.sql`"usage_day"`,
} as const;

const REFUSALS = ['DENIED', 'POOL_DENIED', 'DEGRADED_DENIED'];

/** Statement timeout for overruns. */
const OVERRUNS_TIMEOUT_MS = 1500;

@Injectable()
export class ImpactRepository {
  constructor(private readonly database: Database) {}

  /** Number of tenants per profile, without those of `except` (keys). */
  async count(tx: Tx, except: readonly string[]): Promise<{ profile: LimitProfile; tenants: number }[]> {
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
      profile: {
        status: status === 'active' ? 'active' : 'suspended',
        tier,
        pinnedVersion: pinned,
        adjustments: [],
      },
      tenants,
    }));
  }

  /** Keys of tenants with entitlements or overrides, which make their profiles unique. */
  async listAdjusted(tx: Tx): Promise<string[]> {
    const rows = await tx.$queryRaw<{ key: string }[]>`
      SELECT key FROM tenant WHERE id IN (
        SELECT tenant_id FROM entitlement
        UNION SELECT tenant_id FROM override WHERE removed_at IS NULL AND (ends_at IS NULL OR ends_at > now()))`;
    return rows.map(({ key }) => key);
  }

  /** Tenants of a group, by key. @param single tenants in groups of their own */
  list(group: AffectedGroup, single: readonly string[], first: number): Promise<NamedTenant[]> {
    return this.database.client.$queryRaw<NamedTenant[]>`
      SELECT t."key", t."name" FROM ${MEMBERS} WHERE ${belonging(group, single)} ORDER BY t."key" LIMIT ${first}`;
  }

  /**
   * Tenants of each group with a recent window above the new limit, highest first.
   * @throws an error of Postgres after the timeout
   */
  listOverruns(
    probes: readonly { group: AffectedGroup; probe: OverrunProbe }[],
    { single, now, first }: { single: readonly string[]; now: Date; first: number },
  ): Promise<OverrunRow[][]> {
    return this.database.transaction(async (tx) => {
      await tx.$executeRaw`SELECT set_config('statement_timeout', ${String(OVERRUNS_TIMEOUT_MS)}, true)`;
      const found: OverrunRow[][] = [];
      for (const { group, probe } of probes) {
        const { policy, table, bucket, limit, lookBackMs } = probe;
        const since = new Date(now.getTime() - lookBackMs);
        const operations =
          policy.operations.length === 0
            ? Prisma.empty
            : Prisma.sql`AND s."operation" = ANY (${policy.operations}::text[])`;
        // Not a parameter: Postgres must see that GROUP BY and SELECT use the same expression.
        const at =
          bucket === 'month'
            ? Prisma.sql`date_trunc('month', u."at")`
            : Prisma.raw(`date_bin('${Math.round(bucket.seconds)} seconds', u."at", 'epoch'::timestamptz)`);
        found.push(
          await tx.$queryRaw<OverrunRow[]>`
            SELECT "key", "name", peak, excess, units, at FROM (
              SELECT t."key", t."name", ${at} AS at, least(sum(u."units"), 9007199254740991)::bigint AS peak,
                least(sum(greatest(sum(u."units") - ${limit}, 0)) OVER tenant, 9007199254740991)::bigint AS excess,
                least(sum(sum(u."units")) OVER tenant, 9007199254740991)::bigint AS units,
                row_number() OVER (PARTITION BY t."id" ORDER BY sum(u."units") DESC, ${at} DESC) AS place
              FROM ${MEMBERS} JOIN ${TABLES[table]} u ON u."tenant_id" = t."id"
              JOIN "usage_series" s ON s."id" = u."series_id"
              WHERE ${belonging(group, single)} AND u."at" >= ${since} AND s."api" = ${policy.api} ${operations}
                AND s."outcome"::text <> ALL (${REFUSALS}::text[])
              GROUP BY t."id", ${at}
              WINDOW tenant AS (PARTITION BY t."id")
            ) windows
            WHERE place = 1 AND peak > ${limit}
            ORDER BY peak DESC, "key" LIMIT ${first}`,
        );
      }
      return found;
    });
  }
}

const MEMBERS = Prisma.sql`
  "tenant" t JOIN "subscription" member ON member."tenant_id" = t."id" JOIN "tier" ON "tier"."id" = member."tier_id"`;

function belonging({ tenant, profile }: AffectedGroup, single: readonly string[]): Prisma.Sql {
  if (tenant !== null) return Prisma.sql`t."key" = ${tenant}`;
  const { status, tier, pinnedVersion } = profile ?? { status: '', tier: '', pinnedVersion: null };
  return Prisma.sql`lower(t."status"::text) = ${status} AND "tier"."key" = ${tier}
    AND member."pinned_version_number" IS NOT DISTINCT FROM ${pinnedVersion}::int
    AND t."key" <> ALL (${[...single]}::text[])`;
}
