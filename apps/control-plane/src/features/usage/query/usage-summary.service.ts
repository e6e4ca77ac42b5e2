import { Injectable } from '@nestjs/common';
import type { PolicyOf } from '@tollgate/contracts';
import { isTimeZone, type Period, periodAt } from '@tollgate/decision-plane/internals';
import { Clock } from '../../../platform/clock.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { EffectiveLimitsService, type TenantRow, TenantsRepository } from '../../customers/index.js';
import { UsageInterval } from './usage.graphql.js';
import { UsageRepository } from './usage.repository.js';
import { countOf } from './usage.service.js';
import type { QuotaUsage, UsageSummary } from './usage-summary.graphql.js';

const HOUR_MS = 3_600_000;

/** Usage and rate of a quota. */
export interface QuotaPace {
  limit: number;
  used: number;
  unitsPerHour: number;
}

/**
 * When a quota runs out at its current rate, in Unix milliseconds; null: not before its period ends. Now if it is used
 * up.
 */
export function forecastRunOut(
  { limit, used, unitsPerHour }: QuotaPace,
  nowMs: number,
  periodEndMs: number,
): number | null {
  const left = limit - used;
  if (left <= 0) return nowMs;
  if (unitsPerHour <= 0) return null;
  const atMs = nowMs + (left / unitsPerHour) * HOUR_MS;
  return atMs < periodEndMs ? Math.floor(atMs) : null;
}

const DAY_MS = 24 * HOUR_MS;

type Quota = PolicyOf<'quota'>;

/** Reading of a limit's counter. */
type Live = { used: number; remaining: number } | null;

/** Summarizes usage and quotas of a tenant. */
@Injectable()
export class UsageSummaryService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
    private readonly limits: EffectiveLimitsService,
    private readonly clock: Clock,
  ) {}

  /** Null if the tenant does not exist. */
  async find(context: GraphqlContext, tenantKey: string): Promise<UsageSummary | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return null;
    const now = this.clock.now();
    const nowMs = now.getTime();
    const period = periodOf(tenant, 'billing', nowMs);
    const range = { from: new Date(period.startMs), to: now };
    const [total, peakDay, peakMinute, quotas] = await Promise.all([
      this.usage.sum(tenant.id, UsageInterval.DAY, range),
      this.usage.findPeak(tenant.id, UsageInterval.DAY, range),
      this.usage.findPeak(tenant.id, UsageInterval.MINUTE, { from: new Date(nowMs - DAY_MS), to: now }),
      this.listQuotas(context, tenant, nowMs),
    ]);
    return {
      tenantKey,
      periodStart: new Date(period.startMs),
      periodEnd: new Date(period.endMs),
      total,
      peakDay: peakDay && { at: peakDay.at, ...countOf(peakDay) },
      peakMinute: peakMinute && { at: peakMinute.at, ...countOf(peakMinute) },
      quotas: quotas.sort((a, b) => b.used / b.limit - a.used / a.limit),
    };
  }

  /** Quotas on the tenant as a whole. */
  async listQuotas(context: GraphqlContext, tenant: TenantRow, nowMs: number): Promise<QuotaUsage[]> {
    const effective = await this.limits.list(context, tenant);
    const quotas = effective.flatMap(({ limit, live }) => {
      const policy = limit.policy;
      return policy.algorithm === 'quota' && policy.per.length === 0 ? [{ policy, live }] : [];
    });
    return Promise.all(quotas.map(({ policy, live }) => this.describe(tenant, policy, live, nowMs)));
  }

  private async describe(tenant: TenantRow, policy: Quota, live: Live, nowMs: number): Promise<QuotaUsage> {
    const { api, name, operations, limit } = policy;
    const period = periodOf(tenant, policy.period, nowMs);
    const filter = { apiKey: api, operations };
    const to = new Date(nowMs);
    const sumSince = (fromMs: number, interval: UsageInterval) =>
      this.usage.sum(tenant.id, interval, { from: new Date(fromMs), to }, filter);
    const { charged: recent } = await sumSince(nowMs - DAY_MS, UsageInterval.HOUR);
    const used = live?.used ?? (await sumSince(period.startMs, UsageInterval.DAY)).charged;
    const pace = {
      limit: live === null ? limit : live.used + live.remaining,
      used,
      unitsPerHour: recent / 24,
    };
    const runsOutAtMs = forecastRunOut(pace, nowMs, period.endMs);
    return {
      apiKey: api,
      limitName: name,
      operations,
      period: policy.period.toUpperCase() as QuotaUsage['period'],
      periodStart: new Date(period.startMs),
      periodEnd: new Date(period.endMs),
      isLive: live !== null,
      ...pace,
      runsOutAt: runsOutAtMs === null ? null : new Date(runsOutAtMs),
    };
  }
}

function periodOf(tenant: TenantRow, kind: Quota['period'], nowMs: number): Period {
  const timeZone = isTimeZone(tenant.timeZone) ? tenant.timeZone : 'UTC';
  return periodAt(kind, timeZone, tenant.billingAnchorDay, nowMs);
}
