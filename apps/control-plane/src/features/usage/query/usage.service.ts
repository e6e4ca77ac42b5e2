import { Injectable } from '@nestjs/common';
import { apiKeySchema, limitNameSchema, operationNameSchema } from '@tollgate/contracts';
import { isTimeZone, periodAt, startOfHour } from '@tollgate/decision-plane/internals';
import type * as z from 'zod';
import { AppConfig } from '../../../config/app-config.js';
import { badInput } from '../../../platform/api-error.js';
import { Clock } from '../../../platform/clock.js';
import type { Connection } from '../../../platform/graphql/connection.js';
import { type Page, toConnection } from '../../../platform/graphql/paging.js';
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
  type UsageTopArgs,
} from './usage-summary.graphql.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far one question may reach, so that an answer has about 1,500 points a series at most; what to ask instead. */
const LONGEST: Record<UsageInterval, { ms: number; text: string }> = {
  MINUTE: { ms: DAY_MS, text: '24 hours by MINUTE; ask by HOUR, or for less' },
  HOUR: { ms: 62 * DAY_MS, text: '62 days by HOUR; ask by DAY, or for less' },
  DAY: { ms: 1100 * DAY_MS, text: '1,100 days by DAY; ask for less' },
};

/** Longest stretch over which tenants are compared. */
const LONGEST_TOP_MS = 92 * DAY_MS;

/**
 * The stretch that is asked for, from the beginning of the point that `from` lies in by the clock of the zone.
 * @throws ApiError BAD_USER_INPUT where it is empty, or longer than one answer may be
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
  if (to.getTime() - asked.from.getTime() > ms) throw badInput(`One question reaches over at most ${text}.`);
  return { from: new Date(startOf(interval, timeZone, asked.from.getTime())), to };
}

/** Over how long tenants are compared, and whether by hours or by days. @throws ApiError BAD_USER_INPUT as above */
export function parseTopRange(
  asked: { from: Date; to?: Date | null | undefined },
  now: Date,
): UsageRange & { interval: UsageInterval } {
  const to = asked.to ?? now;
  if (asked.from >= to) throw badInput('from must be before to');
  const lengthMs = to.getTime() - asked.from.getTime();
  if (lengthMs > LONGEST_TOP_MS) throw badInput('Tenants are compared over at most 92 days; ask for less.');
  const interval = lengthMs > 3 * DAY_MS ? UsageInterval.DAY : UsageInterval.HOUR;
  // In UTC: the hours and days of tenants are of many zones, and belong to the stretch by when they began.
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

/** Series of one answer. */
const MAX_SERIES = 50;

/** Points of one answer, over all series. */
const MAX_POINTS = 20_000;

/** What tenants used, over time. */
@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Null where there is no such tenant.
   * @throws ApiError BAD_USER_INPUT for a stretch that one answer cannot hold, and for what is no name
   */
  async find(args: UsageArgs): Promise<Usage | null> {
    const filter = parseFilter(args);
    const tenant = await this.tenants.findByKey(args.tenantKey);
    if (tenant === null) return null;
    const { interval } = args;
    const timeZone = isTimeZone(tenant.timeZone) ? tenant.timeZone : 'UTC';
    const now = this.clock.now();
    const range = parseRange(args, interval, timeZone, now);
    const rows = await this.usage.list(tenant.id, interval, range, filter, args.groupBy ?? []);
    const series = seriesOf(rows);
    const listed = series.slice(0, MAX_SERIES);
    const points = listed.reduce((sum, one) => sum + one.points.length, 0);
    if (points > MAX_POINTS) {
      throw badInput(
        `The answer would have ${points} points; ${MAX_POINTS} are the most. Ask for less, or tell less apart.`,
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
}

/** @throws ApiError BAD_USER_INPUT for what is no name */
export function parseFilter({ apiKey, operation, limitName }: UsageFilter): UsageFilter {
  check('apiKey', apiKeySchema, apiKey);
  check('operation', operationNameSchema, operation);
  check('limitName', limitNameSchema, limitName);
  return { apiKey, operation, limitName };
}

function check(field: string, schema: z.ZodType, value: string | null | undefined): void {
  // What stands for the names that are not kept may be asked for like any other.
  if (value == null || value === '*' || schema.safeParse(value).success) return;
  throw badInput(`${field} is not such a name`);
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

export function countOf({ count, refused, units }: Record<keyof UsageCount, bigint>): UsageCount {
  return { count: Number(count), refused: Number(refused), units: Number(units) };
}

function totalOf(counts: readonly UsageCount[]): UsageCount {
  const total = { count: 0, refused: 0, units: 0 };
  for (const { count, refused, units } of counts) {
    total.count = Math.min(total.count + count, Number.MAX_SAFE_INTEGER);
    total.refused = Math.min(total.refused + refused, Number.MAX_SAFE_INTEGER);
    total.units = Math.min(total.units + units, Number.MAX_SAFE_INTEGER);
  }
  return total;
}

const MAX_FIRST = 100;
const DEFAULT_FIRST = 10;

const COLUMNS = { DECISIONS: 'count', REFUSED: 'refused', UNITS: 'units' } as const;

/** Who uses most, and who is refused most. */
@Injectable()
export class UsageTopService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError BAD_USER_INPUT for a stretch or a number that one answer cannot hold */
  async listTenants(args: UsageTopArgs): Promise<TenantUsage[]> {
    const { interval, ...range } = parseTopRange(args, this.clock.now());
    const filter = parseFilter({ apiKey: args.apiKey });
    const order = COLUMNS[args.orderBy ?? UsageOrder.DECISIONS];
    const rows = await this.usage.listTop(interval, range, filter, order, parseFirst(args.first));
    return rows.map((row) => ({ tenantKey: row.tenantKey, tenantName: row.tenantName, ...countOf(row) }));
  }

  /** Of a tenant that is not there: none. @throws ApiError BAD_USER_INPUT as above */
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

/** When a crossing was, and which. */
type Place = [at: number, id: string];

/** Thresholds that tenants have reached. */
@Injectable()
export class LimitCrossingsService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
  ) {}

  /** Of a tenant that is not there: none. */
  async list(
    { tenantKey, apiKey }: LimitCrossingsArgs,
    page: Page<Place>,
    encode: (place: Place) => string,
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
