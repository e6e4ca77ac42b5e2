import { Injectable } from '@nestjs/common';
import { apiKeySchema, limitNameSchema, operationNameSchema } from '@tollgate/contracts';
import { knownTimeZone, periodAt, startOfHour } from '@tollgate/limiter/algorithms';
import type * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import { badInput } from '../../../platform/api-error.js';
import { Clock } from '../../../platform/clock.js';
import { type Connection, type Page, toConnection } from '../../../platform/graphql/connection.js';
import { TenantsRepository } from '../../customers/index.js';
import { keptSince } from '../retention/retention.job.js';
import {
  type LimitCrossing,
  type LimitCrossingsArgs,
  type Usage,
  type UsageArgs,
  type UsageCount,
  UsageInterval,
  type UsageSeries,
} from './usage.graphql.js';
import {
  countOf,
  type UsageFilter,
  type UsagePointRow,
  type UsageRange,
  UsageRepository,
} from './usage.repository.js';
import {
  type LimitOffender,
  type LimitOffendersArgs,
  type TenantUsage,
  UsageOrder,
  type UsageSummary,
  type UsageTopArgs,
} from './usage-summary.graphql.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Longest range per interval, for about 1,500 points per series, and the suggested alternative. */
const LONGEST: Record<UsageInterval, { ms: number; text: string }> = {
  MINUTE: { ms: DAY_MS, text: '24 hours by MINUTE. Use HOUR or a shorter range' },
  HOUR: { ms: 62 * DAY_MS, text: '62 days by HOUR. Use DAY or a shorter range' },
  DAY: { ms: 1100 * DAY_MS, text: '1,100 days by DAY. Use a shorter range' },
};

const LONGEST_TOP_MS = 92 * DAY_MS;

/**
 * The requested range, with the start rounded down to the interval in the time zone.
 * @throws ApiError BAD_USER_INPUT if it is empty or too long
 */
export function parseRange(
  asked: { from: Date; to?: Date | null | undefined },
  interval: UsageInterval,
  timeZone: string,
  now: Date,
): UsageRange {
  const to = asked.to ?? now;
  if (asked.from >= to) throw badInput('from must be before to');
  const { ms, text } = LONGEST[interval];
  if (to.getTime() - asked.from.getTime() > ms) throw badInput(`The range is limited to ${text}.`);
  return { from: new Date(startOf(interval, timeZone, asked.from.getTime())), to };
}

/** The range of a ranking, by hours or days. @throws ApiError BAD_USER_INPUT if it is empty or too long */
export function parseTopRange(
  asked: { from: Date; to?: Date | null | undefined },
  now: Date,
): UsageRange & { interval: UsageInterval } {
  const to = asked.to ?? now;
  if (asked.from >= to) throw badInput('from must be before to');
  const lengthMs = to.getTime() - asked.from.getTime();
  if (lengthMs > LONGEST_TOP_MS) throw badInput('The range is limited to 92 days.');
  const interval = lengthMs > 3 * DAY_MS ? UsageInterval.DAY : UsageInterval.HOUR;
  // In UTC: tenants have different time zones, and their hours and days count in the range in which they start.
  return { interval, from: new Date(startOf(interval, 'UTC', asked.from.getTime())), to };
}

function startOf(interval: UsageInterval, timeZone: string, atMs: number): number {
  switch (interval) {
    case UsageInterval.MINUTE:
      return atMs - (atMs % MINUTE_MS);
    case UsageInterval.HOUR:
      return startOfHour(timeZone, atMs);
    case UsageInterval.DAY:
      return periodAt('day', timeZone, 1, atMs).startMs;
  }
}

/** Series per response. */
const MAX_SERIES = 50;

/** Points per response, over all series. */
const MAX_POINTS = 20_000;

/** Usage of tenants over time. */
@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Null if the tenant does not exist.
   * @throws ApiError BAD_USER_INPUT for an invalid range or name
   */
  async find(args: UsageArgs): Promise<Usage | null> {
    const filter = parseFilter(args);
    const tenant = await this.tenants.findByKey(args.tenantKey);
    if (tenant === null) return null;
    const { interval } = args;
    const timeZone = knownTimeZone(tenant.timeZone);
    const now = this.clock.now();
    const range = parseRange(args, interval, timeZone, now);
    const rows = await this.usage.list(tenant.id, interval, range, filter, args.groupBy ?? []);
    const series = seriesOf(rows);
    const listed = series.slice(0, MAX_SERIES);
    const points = listed.reduce((sum, one) => sum + one.points.length, 0);
    if (points > MAX_POINTS) {
      throw badInput(
        `The result would have ${points} points; at most ${MAX_POINTS} are allowed. Shorten the range or group by less.`,
      );
    }
    return {
      tenantKey: tenant.key,
      interval,
      timeZone,
      ...range,
      keptSince: keptSince(this.config.retention, interval, now),
      total: totalOf(series.map(({ total }) => total)),
      series: listed,
      omittedSeries: series.length - listed.length,
    };
  }

  /** Usage of the current billing period; null if the tenant does not exist. */
  async findSummary(tenantKey: string): Promise<UsageSummary | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return null;
    const now = this.clock.now();
    const nowMs = now.getTime();
    const timeZone = knownTimeZone(tenant.timeZone);
    const { startMs, endMs } = periodAt('billing', timeZone, tenant.billingAnchorDay, nowMs);
    const range = { from: new Date(startMs), to: now };
    const [total, peakDay, peakMinute] = await Promise.all([
      this.usage.sum(tenant.id, UsageInterval.DAY, range),
      this.usage.findPeak(tenant.id, UsageInterval.DAY, range),
      this.usage.findPeak(tenant.id, UsageInterval.MINUTE, { from: new Date(nowMs - DAY_MS), to: now }),
    ]);
    return {
      tenantKey,
      periodStart: range.from,
      periodEnd: new Date(endMs),
      total,
      peakDay: peakDay && { at: peakDay.at, ...countOf(peakDay) },
      peakMinute: peakMinute && { at: peakMinute.at, ...countOf(peakMinute) },
    };
  }
}

/** @throws ApiError BAD_USER_INPUT for invalid names */
export function parseFilter({ apiKey, operation, limitName }: UsageFilter): UsageFilter {
  check('apiKey', apiKeySchema, apiKey);
  check('operation', operationNameSchema, operation);
  check('limitName', limitNameSchema, limitName);
  return { apiKey, operation, limitName };
}

function check(field: string, schema: z.ZodType, value: string | null | undefined): void {
  // `*` stands for names beyond the maximum and can be filtered by.
  if (value == null || value === '*' || schema.safeParse(value).success) return;
  throw badInput(`${field} is not a valid name`);
}

/** Most decisions first. */
function seriesOf(rows: readonly UsagePointRow[]): UsageSeries[] {
  const groups = Map.groupBy(rows, ({ apiKey, operation, limitName, outcome }) =>
    JSON.stringify([apiKey, operation, limitName, outcome]),
  );
  const series = [...groups.values()].map((group) => {
    const { apiKey, operation, limitName, outcome } = group[0] as UsagePointRow;
    const points = group.map((row) => ({ at: row.at, ...countOf(row) }));
    return { apiKey, operation, limitName, outcome, points, total: totalOf(points) };
  });
  return series.sort((a, b) => b.total.count - a.total.count);
}

export function totalOf(counts: readonly UsageCount[]): UsageCount {
  const total = {
    ...{ count: 0, denied: 0, degraded: 0, units: 0 },
    ...{ candidateCount: 0, candidateDenied: 0, candidateDeniedUnits: 0 },
  };
  for (const one of counts) {
    for (const name of Object.keys(total) as (keyof UsageCount)[])
      total[name] = Math.min(total[name] + one[name], Number.MAX_SAFE_INTEGER);
  }
  return total;
}

const MAX_FIRST = 100;
const DEFAULT_FIRST = 10;

const COLUMNS = { DECISIONS: 'count', DENIED: 'denied', UNITS: 'units' } as const;

/** Ranks tenants by usage and counters by denials. */
@Injectable()
export class UsageTopService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError BAD_USER_INPUT for an invalid range or number */
  async listTenants(args: UsageTopArgs): Promise<TenantUsage[]> {
    const { interval, ...range } = parseTopRange(args, this.clock.now());
    const filter = parseFilter({ apiKey: args.apiKey });
    const order = COLUMNS[args.orderBy ?? UsageOrder.DECISIONS];
    const rows = await this.usage.listTop(interval, range, filter, order, parseFirst(args.first));
    return rows.map((row) => ({ tenantKey: row.tenantKey, tenantName: row.tenantName, ...countOf(row) }));
  }

  /** Empty if the tenant does not exist. @throws ApiError BAD_USER_INPUT for an invalid range or number */
  async listOffenders({ tenantKey, first, ...asked }: LimitOffendersArgs): Promise<LimitOffender[]> {
    const { interval: _, ...range } = parseTopRange(asked, this.clock.now());
    const count = parseFirst(first);
    const tenant = tenantKey == null ? undefined : await this.tenants.findByKey(tenantKey);
    if (tenant === null) return [];
    const rows = await this.usage.listOffenders(tenant?.id, range, count);
    return rows.map((row) => ({
      tenantKey: row.tenantKey,
      apiKey: row.api,
      limitName: row.limitName,
      counter: row.counter,
      units: Number(row.units),
      error: Number(row.error),
      lastHour: row.at,
    }));
  }
}

function parseFirst(first: number | null | undefined): number {
  const count = first ?? DEFAULT_FIRST;
  if (count < 1 || count > MAX_FIRST) throw badInput(`first must be 1 to ${MAX_FIRST}`);
  return count;
}

/** Cursor of a crossing: time and id. */
type CrossingCursor = [at: number, id: string];

/** Crossed thresholds of tenants. */
@Injectable()
export class LimitCrossingsService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
  ) {}

  /** Empty if the tenant does not exist. */
  async list(
    { tenantKey, apiKey }: LimitCrossingsArgs,
    page: Page<CrossingCursor>,
    encode: (cursor: CrossingCursor) => string,
  ): Promise<Connection<LimitCrossing>> {
    const api = parseFilter({ apiKey }).apiKey ?? undefined;
    const tenant = await this.tenants.findByKey(tenantKey);
    const rows = tenant === null ? [] : await this.usage.listCrossings(tenant.id, api, page);
    const nodes = rows.map(({ api: apiKey, used, capacity, ...row }) => ({
      ...row,
      apiKey,
      used: Number(used),
      capacity: Number(capacity),
    }));
    return toConnection(
      nodes,
      page,
      ({ at, id }) => encode([at.getTime(), id]),
      async () => (tenant === null ? 0 : this.usage.countCrossings(tenant.id, api)),
    );
  }
}
