import { Injectable } from '@nestjs/common';
import { apiKeySchema, limitNameSchema, operationNameSchema } from '@tollgate/contracts';
import { isTimeZone } from '@tollgate/decision-plane/internals';
import type * as z from 'zod';
import { AppConfig } from '../../../../config/app-config.js';
import { Clock } from '../../../../platform/clock/clock.js';
import { badInput } from '../../../../platform/errors/api-error.js';
import { TenantsRepository } from '../../../customers/index.js';
import { keptSince } from '../retention/retention.rules.js';
import type { Usage, UsageArgs, UsageCount, UsageSeries } from './usage.graphql.js';
import { type UsageFilter, type UsagePointRow, UsageRepository } from './usage.repository.js';
import { parseRange } from './usage-range.rules.js';

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
