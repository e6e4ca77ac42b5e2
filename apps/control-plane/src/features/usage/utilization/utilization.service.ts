import { Injectable } from '@nestjs/common';
import { type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import { knownTimeZone } from '@tollgate/limiter/algorithms';
import { badInput } from '../../../platform/api-error.js';
import { Clock } from '../../../platform/clock.js';
import {
  type Connection,
  type CursorCodec,
  parsePage,
  toConnection,
} from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { TiersRepository, upper } from '../../catalogue/index.js';
import {
  EffectiveLimitsService,
  readAdjustments,
  type TenantRow,
  TenantsRepository,
  TenantsService,
} from '../../customers/index.js';
import {
  type LimitPeakPoint,
  type LimitUtilization,
  type TenantUtilization,
  type TenantUtilizationArgs,
  UtilizationOrder,
} from './utilization.graphql.js';
import {
  placeLength,
  type StaleTenant,
  UtilizationRepository,
  type UtilizationRow,
} from './utilization.repository.js';
import {
  byFullness,
  type Calendar,
  forecastExhaustion,
  type LimitState,
  percentOf,
  utilizationOf,
} from './utilization.rules.js';

const DAY_MS = 86_400_000;

/** Tenants per batch. */
const BATCH = 500;

/** Duration after which the job leaves the rest to its next run. */
const MAX_RUN_MS = 5000;

/** A tenant with recent requests is computed again after this time: windows expire, and limits of tiers change. */
const REFRESH_MS = 300_000;

/** Limits stored per tenant. */
const MAX_LIMITS = 16;

/** Keeps the utilization of tenants up to date: computes those with new requests, changes or expired windows. */
@Injectable()
@ScheduledJob({ name: 'utilization', everyMs: 1000 })
export class UtilizationJob {
  constructor(
    private readonly rows: UtilizationRepository,
    private readonly tiers: TiersRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns the number of computed tenants. */
  async run(): Promise<number> {
    const startMs = this.clock.now().getTime();
    let count = 0;
    for (;;) {
      const now = this.clock.now();
      const until = new Date(now.getTime() + REFRESH_MS);
      const tenants = await this.rows.claimStale(now, until, BATCH);
      await this.rows.store(await this.compute(tenants, now.getTime()), now, until);
      count += tenants.length;
      if (tenants.length < BATCH || this.clock.now().getTime() - startMs > MAX_RUN_MS) return count;
    }
  }

  private async compute(tenants: readonly StaleTenant[], nowMs: number) {
    const ids = tenants.map(({ id }) => id);
    const versionIds = [...new Set(tenants.flatMap(({ versionId }) => versionId ?? []))];
    const [limits, readings, usage] = await Promise.all([
      this.tiers.listLimits(versionIds),
      this.rows.listReadings(ids, nowMs),
      this.rows.listUsage(ids, nowMs),
    ]);
    return tenants.map((tenant): UtilizationRow & { staleAt: Date | null } => {
      const { id: tenantId, versionId } = tenant;
      const recent = usage.get(tenantId);
      const adjustments = readAdjustments(tenant.adjustments);
      const policies = (limits.get(versionId ?? '') ?? []).map(
        ({ policy }) => resolveLimit(policy, adjustments).policy,
      );
      const own = readings.get(tenantId) ?? [];
      const states = utilizationOf(
        policies,
        own,
        recent?.charged ?? [],
        recent?.hours ?? 1,
        calendarOf(tenant),
        nowMs,
      );
      const used = states.filter(({ used, denied }) => used > 0 || denied > 0);
      const ends = used.flatMap(({ exhaustsAtMs }) => exhaustsAtMs ?? []);
      const isActive = recent !== undefined || used.length > 0;
      return {
        tenantId,
        percent: states[0]?.percent ?? 0,
        requests: sum(recent?.requestsByHour),
        denied: sum(recent?.deniedByHour),
        exhaustsAt: ends.length === 0 ? null : new Date(Math.min(...ends)),
        limits: used.slice(0, MAX_LIMITS),
        requestsByHour: recent?.requestsByHour ?? [],
        deniedByHour: recent?.deniedByHour ?? [],
        staleAt: isActive ? new Date(nowMs + REFRESH_MS) : null,
      };
    });
  }
}

/** A limit in effect and its utilization. */
export type PolicyUtilization = LimitUtilization & { policy: LimitPolicy };

/** Utilization of tenants and of their limits. */
/** Fields of the tenant are resolved from its row. */
export type UtilizationOfTenant = Omit<TenantUtilization, 'tenant'> & { tenant: TenantRow };

@Injectable()
export class UtilizationService {
  constructor(
    private readonly rows: UtilizationRepository,
    private readonly tenants: TenantsRepository,
    private readonly tenantsService: TenantsService,
    private readonly limits: EffectiveLimitsService,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError BAD_USER_INPUT for an invalid filter or cursor */
  async list(
    args: TenantUtilizationArgs,
    cursors: CursorCodec<string[]>,
  ): Promise<Connection<UtilizationOfTenant>> {
    const order = args.orderBy ?? UtilizationOrder.UTILIZATION;
    const descending = args.descending ?? ['UTILIZATION', 'DENIED', 'REQUESTS'].includes(order);
    const { search, tierKey, status } = this.tenantsService.parseFilter(args, 'all');
    const minPercent = args.minPercent ?? undefined;
    if (minPercent !== undefined && (minPercent < 0 || minPercent > 100))
      throw badInput('minPercent must be 0 to 100');
    const keys = args.tenantKey == null ? undefined : [args.tenantKey];
    const filter = { search, tierKey, status, minPercent, denied: args.denied ?? false, keys };
    const page = parsePage(args, cursors);
    if (page.after !== undefined && page.after.length !== placeLength(order))
      throw badInput('after is a cursor of another order');
    const stored = await this.rows.list(filter, { order, descending }, page);
    const tenants = await this.tenants.listByIds(stored.map(({ tenantId }) => tenantId));
    const byId = new Map(tenants.map((tenant) => [tenant.id, tenant]));
    const nodes = stored.flatMap(({ tenantId, limits, ...row }) => {
      const tenant = byId.get(tenantId);
      if (tenant === undefined) return [];
      const described = limits.map(describe);
      const [tightest = null] = described;
      const exhausting = described
        .filter(({ exhaustsAt }) => exhaustsAt !== null)
        .sort((a, b) => Number(a.exhaustsAt) - Number(b.exhaustsAt))[0];
      return [{ ...row, tenant, limits: described, tightest, exhausting: exhausting ?? null }];
    });
    return toConnection<(typeof nodes)[number], string[]>(
      nodes,
      page,
      ({ place }) => cursors.encode(place),
      () => this.rows.count(filter),
    );
  }

  /** All enforced limits of a tenant, fullest first; quotas as their counters are now. Null for an unknown tenant. */
  async listLimits(context: GraphqlContext, tenantKey: string): Promise<PolicyUtilization[] | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return null;
    const nowMs = this.clock.now().getTime();
    const [effective, readings, usage] = await Promise.all([
      this.limits.list(context, tenant),
      this.rows.listReadings([tenant.id], nowMs),
      this.rows.listUsage([tenant.id], nowMs),
    ]);
    const recent = usage.get(tenant.id);
    const states = utilizationOf(
      effective.map(({ limit }) => limit.policy),
      readings.get(tenant.id) ?? [],
      recent?.charged ?? [],
      recent?.hours ?? 1,
      calendarOf(tenant),
      nowMs,
    );
    const byName = new Map(effective.map((one) => [`${one.limit.apiKey}/${one.limit.name}`, one]));
    const found = (state: LimitState) => byName.get(`${state.apiKey}/${state.limitName}`);
    return states
      .map((state) => withCounter(state, found(state)?.live?.used, nowMs))
      .sort(byFullness)
      .flatMap((state) => {
        const policy = found(state)?.limit.policy;
        return policy ? [{ ...describe(state), policy }] : [];
      });
  }

  /** The last 24 hours of a limit. Null for an unknown tenant. */
  async listPeaks(tenantKey: string, apiKey: string, limitName: string): Promise<LimitPeakPoint[] | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return null;
    const from = new Date(this.clock.now().getTime() - DAY_MS);
    return this.rows.listPeaks(tenant.id, apiKey, limitName, from);
  }
}

/** A quota with its present counter. */
function withCounter(state: LimitState, used: number | undefined, nowMs: number): LimitState {
  const { resetsAtMs, unitsPerHour, limit } = state;
  if (used === undefined || resetsAtMs === null || unitsPerHour === null) return state;
  const hasDenied = state.percent === 100 && state.used < limit && used >= state.used;
  return {
    ...state,
    used,
    percent: hasDenied ? 100 : percentOf(used, limit),
    exhaustsAtMs: forecastExhaustion({ limit, used, unitsPerHour }, nowMs, resetsAtMs),
  };
}

function describe(state: LimitState): LimitUtilization {
  const { peakAtMs, limitedSinceMs, resetsAtMs, exhaustsAtMs, period, ...rest } = state;
  return {
    ...rest,
    period: period && upper(period),
    peakAt: dateOf(peakAtMs),
    limitedSince: dateOf(limitedSinceMs),
    resetsAt: dateOf(resetsAtMs),
    exhaustsAt: dateOf(exhaustsAtMs),
  };
}

const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));

function calendarOf({ timeZone, billingAnchorDay }: Pick<TenantRow, keyof Calendar>): Calendar {
  return { timeZone: knownTimeZone(timeZone), billingAnchorDay };
}

function sum(numbers: readonly number[] = []): number {
  return numbers.reduce((total, one) => total + one, 0);
}
