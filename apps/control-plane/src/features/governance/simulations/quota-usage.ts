import { Injectable } from '@nestjs/common';
import { type Catalogue, coversApi, type LimitPolicy, type TenantRecord } from '@tollgate/contracts';
import { knownTimeZone, periodAt } from '@tollgate/limiter/algorithms';
import { compileLimit, counterKey } from '@tollgate/limiter/rules';
import type { ReplayPolicy, StartUsage } from '@tollgate/replay';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/prisma/database.js';
import type { RecordedTenant } from './simulations.repository.js';

type Quota = Extract<LimitPolicy, { algorithm: 'quota' }>;

/** The last reading of a quota in a period, and the units that operations of one API charged since a time. */
interface Reading {
  tenant: string;
  api: string;
  limitName: string;
  periodEnd: Date;
  used: number;
  /** Null, likewise the operation and units: nothing was charged. */
  usedApi: string | null;
  operation: string | null;
  units: number | null;
}

export interface KnownUsage {
  readonly startUsage: readonly StartUsage[];
  /** Quotas, `api/name`, whose usage at the start is known for every tenant. */
  readonly known: ReadonlySet<string>;
}

/** Finds how much of its quotas each tenant had used when a recording begins: the last reading minus all charges since. */
@Injectable()
export class QuotaUsage {
  constructor(
    private readonly database: Database,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Only of quotas of a tenant as a whole, and while usage per minute is stored.
   * @param policies of the replay, the present one first @param fromMs start of the recording, a whole minute, Unix ms
   */
  async find(
    policies: readonly ReplayPolicy[],
    tenants: readonly RecordedTenant[],
    fromMs: number,
  ): Promise<KnownUsage> {
    const quotas = knownQuotas(policies);
    const keptMs = this.clock.now().getTime() - this.config.retention.minuteMs;
    if (quotas.size === 0 || fromMs < keptMs) return { startUsage: [], known: new Set() };
    const present = policies[0] as ReplayPolicy;
    const { tiers } = JSON.parse(present.catalogueText) as Catalogue;
    const records = new Map(present.tenants.map((record) => [record.tenant, record]));
    const readings = Map.groupBy(
      await this.read(tenants, new Date(fromMs)),
      ({ tenant, api, limitName }) => `${tenant} ${api}/${limitName}`,
    );
    const startUsage = [...readings.values()].flatMap((rows) => {
      const [{ tenant, api, limitName }] = rows as [Reading];
      const record = records.get(tenant);
      if (record === undefined || !quotas.has(`${api}/${limitName}`)) return [];
      const quota = limitsOn(record, tiers).find((limit) => limit.api === api && limit.name === limitName);
      return quota?.algorithm === 'quota' ? startOf(rows, quota, record, fromMs) : [];
    });
    return { startUsage, known: quotas };
  }

  private read(tenants: readonly RecordedTenant[], from: Date): Promise<Reading[]> {
    return this.database.client.$queryRaw<Reading[]>`
      WITH "first" AS (
        SELECT DISTINCT ON (p."tenant_id", p."api", p."limit_name") p.*
        FROM "limit_peak" p
        WHERE p."tenant_id" = ANY (${tenants.map(({ id }) => id)}::text[]) AND p."is_quota" AND p."at" > ${from}
        ORDER BY p."tenant_id", p."api", p."limit_name", p."at"
      ), "charged" AS (
        SELECT u."tenant_id", u."at", s."api", s."operation", u."units"
        FROM "usage_minute" u JOIN "usage_series" s ON s."id" = u."series_id"
        WHERE u."tenant_id" IN (SELECT "tenant_id" FROM "first") AND u."at" >= ${from}
          AND s."outcome" IN ('ALLOWED', 'OVER_LIMIT', 'SHADOW_DENIED', 'DEGRADED_ALLOWED')
      )
      SELECT t."key" AS "tenant", f."api", f."limit_name" AS "limitName", f."at" AS "periodEnd", f."used"::float8 AS "used",
        c."api" AS "usedApi", c."operation", sum(c."units")::float8 AS "units"
      FROM "first" f JOIN "tenant" t ON t."id" = f."tenant_id"
        LEFT JOIN "charged" c ON c."tenant_id" = f."tenant_id" AND c."at" < f."at"
      GROUP BY 1, 2, 3, 4, 5, 6, 7`;
  }
}

/** Quotas of tenants as a whole that the first policy has, and no other with another period or dimensions, by `api/name`. */
function knownQuotas(policies: readonly ReplayPolicy[]): Set<string> {
  const periods = new Map<string, Quota['period']>();
  const others = new Set<string>();
  for (const [index, { catalogueText }] of policies.entries()) {
    const { tiers } = JSON.parse(catalogueText) as Catalogue;
    for (const limit of tiers.flatMap(({ versions }) => versions).flatMap(({ limits }) => limits)) {
      const name = `${limit.api}/${limit.name}`;
      const isQuota = limit.algorithm === 'quota' && limit.per.length === 0;
      if (!isQuota) others.add(name);
      else if (index === 0 && !periods.has(name)) periods.set(name, limit.period);
      else if (periods.get(name) !== limit.period) others.add(name);
    }
  }
  return new Set([...periods.keys()].filter((name) => !others.has(name)));
}

/** The limits of the tenant's tier version, which determine what its counters count. */
function limitsOn(
  { tier: key, pinnedVersion }: TenantRecord,
  tiers: Catalogue['tiers'],
): readonly LimitPolicy[] {
  const tier = tiers.find((one) => one.key === key);
  const number = pinnedVersion ?? tier?.currentVersion;
  return tier?.versions.find((version) => version.number === number)?.limits ?? [];
}

/** Nothing if the last reading belongs to a later period: nothing was used in the first one. */
function startOf(
  rows: readonly Reading[],
  quota: Quota,
  { timeZone = 'UTC', billingAnchorDay = 1 }: TenantRecord,
  fromMs: number,
): StartUsage[] {
  const [{ tenant, periodEnd, used }] = rows as [Reading];
  const { endMs } = periodAt(quota.period, knownTimeZone(timeZone), billingAnchorDay, fromMs);
  if (endMs !== periodEnd.getTime()) return [];
  const compiled = compileLimit(quota);
  if (!compiled.ok) return [];
  const covers = ({ usedApi, operation }: Reading) =>
    usedApi !== null &&
    coversApi(quota, usedApi) &&
    (quota.operations.length === 0 || quota.operations.includes(operation ?? ''));
  const since = rows.filter(covers).reduce((sum, { units }) => sum + (units ?? 0), 0);
  const key = counterKey(tenant, compiled.limit.keyStem, []);
  return used > since ? [{ key, periodEndMs: endMs, used: used - since }] : [];
}
