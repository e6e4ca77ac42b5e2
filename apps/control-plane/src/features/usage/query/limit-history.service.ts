import { Injectable } from '@nestjs/common';
import { ObjectType } from '@nestjs/graphql';
import { coversApi, type LimitPolicy } from '@tollgate/contracts';
import { knownTimeZone, periodAt } from '@tollgate/limiter/algorithms';
import { Clock } from '../../../platform/clock.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { coversOperation } from '../../catalogue/index.js';
import {
  EffectiveLimitsService,
  LimitSteps,
  type TenantRow,
  TenantsRepository,
} from '../../customers/index.js';
import { UsageGroup, UsageInterval } from './usage.graphql.js';
import { type UsagePointRow, UsageRepository } from './usage.repository.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Days of the history, today included. */
const DAYS = 30;

const LimitMeasure = enumOf('LimitMeasure', 'What the usage of a day is compared with a limit by.', {
  BUSIEST_MINUTE: 'The busiest minute, scaled to shorter windows.',
  BUSIEST_HOUR: 'The busiest hour, scaled to the window.',
  DAY: 'The whole day.',
  PERIOD: 'The period of the quota until the end of the day.',
});
type LimitMeasure = keyof typeof LimitMeasure;

@ObjectType({ description: "Usage of a limit on one day in the tenant's time zone." })
class LimitDay extends ObjectOf({
  at: field.dateTime('Start of the day.'),
  used: field.safeInt('Requested units by the measure; for quotas, units used.'),
  denied: field.safeInt('Decisions that this limit denied.'),
}) {}

@ObjectType({ description: 'Value of a limit from a time on.' })
class LimitStepView extends ObjectOf({
  at: field.dateTime('Start.'),
  limit: field.safeInt('The effective limit.'),
  lasting: field.safeInt('The limit without boosts.'),
}) {}

@ObjectType({ description: 'Usage of a limit over the last 30 days.' })
export class LimitHistory extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  measure: field.of(() => LimitMeasure, 'What `used` measures.'),
  windowMs: field.safeInt('Length of the window in milliseconds; null for quotas.').nullable(),
  days: field
    .of(() => LimitDay, 'Days, oldest first, today last.')
    .list()
    .complexity(0),
  steps: field
    .of(() => LimitStepView, 'Values of the limit, oldest first.')
    .list()
    .complexity(0),
}) {}

type Row = Pick<UsagePointRow, 'at' | 'apiKey' | 'operation' | 'limitName' | 'units' | 'denied'>;

/** Compares 30 days of usage with the limits of each time. Covers limits of the tenant as a whole, except on concurrency. */
@Injectable()
export class LimitHistoryService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tenants: TenantsRepository,
    private readonly limits: EffectiveLimitsService,
    private readonly steps: LimitSteps,
    private readonly clock: Clock,
  ) {}

  /** Null if the tenant does not exist. */
  async find(context: GraphqlContext, tenantKey: string): Promise<LimitHistory[] | null> {
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return null;
    const effective = await this.limits.list(context, tenant);
    const policies = effective
      .map(({ limit }) => limit.policy)
      .filter(({ per, algorithm }) => per.length === 0 && algorithm !== 'concurrency');
    const to = this.clock.now();
    const days = lastDays(tenant, to.getTime());
    const from = new Date(days[0] ?? to);
    // A quota's first day counts from the start of its period.
    const since = new Date(from.getTime() - 31 * DAY_MS);
    const [daily, peaks, hourly, stepsOf] = await Promise.all([
      this.usage.list(tenant.id, UsageInterval.DAY, { from: since, to }, {}, [
        UsageGroup.OPERATION,
        UsageGroup.LIMIT,
        UsageGroup.OUTCOME,
      ]),
      this.usage.listPeaks(tenant.id, from),
      policies.some((policy) => measureOf(policy) === 'BUSIEST_HOUR')
        ? this.usage.list(tenant.id, UsageInterval.HOUR, { from, to }, {}, [UsageGroup.OPERATION])
        : [],
      this.steps.read(tenant.id, from),
    ]);
    return policies.map((policy) => {
      const measure = measureOf(policy);
      const counts = isCountedBy(policy);
      const own = daily.filter(counts);
      const usedOn = {
        BUSIEST_MINUTE: () => peaksPerDay(peaks, policy),
        BUSIEST_HOUR: () => scaled(mostPerDay(hourly.filter(counts), days), policy, HOUR_MS),
        DAY: () => sumPerDay(own),
        PERIOD: () => usedOfPeriods(own, policy, tenant, days),
      }[measure]();
      const denied = Map.groupBy(
        daily.filter(({ apiKey, limitName }) => limitName === policy.name && coversApi(policy, apiKey ?? '')),
        ({ at }) => at.getTime(),
      );
      return {
        apiKey: policy.api,
        limitName: policy.name,
        measure,
        windowMs: 'windowMs' in policy ? policy.windowMs : null,
        days: days.map((atMs) => ({
          at: new Date(atMs),
          used: usedOn.get(atMs) ?? 0,
          denied: (denied.get(atMs) ?? []).reduce((sum, row) => sum + Number(row.denied), 0),
        })),
        steps: stepsOf(policy),
      };
    });
  }
}

/** Starts of the last days in the tenant's time zone, oldest first. */
function lastDays({ timeZone }: TenantRow, nowMs: number): number[] {
  const zone = knownTimeZone(timeZone);
  const days = [periodAt('day', zone, 1, nowMs).startMs];
  while (days.length < DAYS) days.unshift(periodAt('day', zone, 1, (days[0] ?? nowMs) - 1).startMs);
  return days;
}

function measureOf(policy: LimitPolicy): LimitMeasure {
  if (policy.algorithm === 'quota') return 'PERIOD';
  const windowMs = 'windowMs' in policy ? policy.windowMs : 0;
  if (windowMs <= MINUTE_MS) return 'BUSIEST_MINUTE';
  return windowMs < DAY_MS ? 'BUSIEST_HOUR' : 'DAY';
}

const isCountedBy =
  (policy: LimitPolicy) =>
  ({ apiKey, operation }: Pick<Row, 'apiKey' | 'operation'>): boolean =>
    coversApi(policy, apiKey ?? '') && coversOperation(policy, operation ?? undefined);

/** The busiest minute by day, scaled to the window. */
const peaksPerDay = (peaks: Peaks, policy: LimitPolicy): Map<number, number> =>
  scaled(busiestMinutes(peaks, policy), policy, MINUTE_MS);

type Peaks = Awaited<ReturnType<UsageRepository['listPeaks']>>;

/**
 * The most units of a minute by start of the day. For several operations at most the sum of theirs, and at most that of the
 * API; for several APIs at most the sum of theirs.
 */
export function busiestMinutes(peaks: Peaks, policy: LimitPolicy): Map<number, number> {
  const { operations } = policy;
  const ofApi = new Map<number, number>();
  const ofOperations = new Map<number, number>();
  for (const { at, api: peakApi, operation, units } of peaks) {
    if (!coversApi(policy, peakApi)) continue;
    const atMs = at.getTime();
    if (operation === '') ofApi.set(atMs, (ofApi.get(atMs) ?? 0) + Number(units));
    else if (operations.includes(operation))
      ofOperations.set(atMs, (ofOperations.get(atMs) ?? 0) + Number(units));
  }
  return operations.length === 0
    ? ofApi
    : new Map([...ofOperations].map(([atMs, units]) => [atMs, Math.min(units, ofApi.get(atMs) ?? units)]));
}

function scaled(byDay: ReadonlyMap<number, number>, policy: LimitPolicy, ms: number): Map<number, number> {
  const windowMs = 'windowMs' in policy ? policy.windowMs : ms;
  return new Map([...byDay].map(([atMs, units]) => [atMs, Math.ceil((units * windowMs) / ms)]));
}

function sumPerDay(rows: readonly Row[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { at, units } of rows) sums.set(at.getTime(), (sums.get(at.getTime()) ?? 0) + Number(units));
  return sums;
}

/** The busiest hour of each day. */
function mostPerDay(rows: readonly Row[], days: readonly number[]): Map<number, number> {
  const most = new Map<number, number>();
  for (const [atMs, units] of sumPerDay(rows)) {
    const day = days.findLast((startMs) => startMs <= atMs);
    if (day !== undefined) most.set(day, Math.max(most.get(day) ?? 0, units));
  }
  return most;
}

/** Units charged to a quota from the start of its period until the end of each day. */
function usedOfPeriods(
  rows: readonly Row[],
  policy: LimitPolicy,
  { timeZone, billingAnchorDay }: TenantRow,
  days: readonly number[],
): Map<number, number> {
  if (policy.algorithm !== 'quota') return new Map();
  const zone = knownTimeZone(timeZone);
  // Grouped by outcome, so that a row with denials has nothing else.
  const charged = [...sumPerDay(rows.filter(({ denied }) => denied === 0n))];
  return new Map(
    days.map((atMs) => {
      const { startMs } = periodAt(policy.period, zone, billingAnchorDay, atMs);
      const inPeriod = charged.filter(([at]) => at >= startMs && at <= atMs);
      return [atMs, inPeriod.reduce((sum, [, units]) => sum + units, 0)];
    }),
  );
}
