import { Injectable } from '@nestjs/common';
import { Args, ArgsType, Float, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { LATENCY_BOUNDS_MS } from '@tollgate/contracts';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { Clock } from '../../../platform/clock.js';
import { ArgsOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { TiersRepository } from '../../catalogue/index.js';
import { UsageCount, UsagePoint } from './usage.graphql.js';
import { countOf, type TrafficPointRow, type UsageRange, UsageRepository } from './usage.repository.js';
import { totalOf } from './usage.service.js';

const ms = (description: string) =>
  field.as<number>(() => Float, `${description}, in milliseconds; null if no node measured.`).nullable();

@ObjectType({ description: 'Decisions of all tenants in one step, with the latency of requests to nodes.' })
export class TrafficPoint extends ObjectOf(UsagePoint, {
  p50Ms: ms('Median latency'),
  p99Ms: ms('99th percentile of the latency'),
}) {}

@ObjectType({ description: 'A version of a tier that was published.' })
export class TierPublication extends ObjectOf({
  tierKey: field.string('Key of the tier.'),
  tierName: field.string('Name of the tier.'),
  number: field.int('Number of the version.'),
  at: field.dateTime('When it was published.'),
}) {}

@ObjectType({ description: 'Decisions of all tenants over time, with those of the period before.' })
export class Traffic extends ObjectOf({
  from: field.dateTime('Start of the first point.'),
  to: field.dateTime('End of the range.'),
  stepMs: field.int('Length of a point in milliseconds: one minute to one day, for at most 120 points.'),
  total: field.of(() => UsageCount, 'Total of the range.').complexity(0),
  points: field
    .of(() => TrafficPoint, 'Points in ascending order; steps without decisions are omitted.')
    .list()
    .complexity(0),
  previousTotal: field.of(() => UsageCount, 'Total of the period of the same length before.').complexity(0),
  previousPoints: field
    .of(() => UsagePoint, 'Points of the period before.')
    .list()
    .complexity(0),
  p50Ms: ms('Median latency of the range'),
  p99Ms: ms('99th percentile of the latency of the range'),
  publications: field
    .of(() => TierPublication, 'Tier versions published in the range, oldest first; at most 50.')
    .list()
    .complexity(0),
}) {}

@ArgsType()
export class TrafficArgs extends ArgsOf({
  from: field.dateTime('Start, rounded up to the step.'),
  to: field.dateTime('End; now by default. At most 92 days after the start.').optional(),
}) {}

const MINUTE_MS = 60_000;
const STEPS_MS = [1, 5, 15, 60, 120, 360, 1440].map((minutes) => minutes * MINUTE_MS);
const MAX_POINTS = 120;
const LONGEST_MS = 92 * 1440 * MINUTE_MS;

/**
 * The range in whole steps from the epoch, with the current step as its last.
 * @throws ApiError BAD_USER_INPUT if it is empty or too long
 */
export function parseTrafficRange(
  asked: { from: Date; to?: Date | null | undefined },
  now: Date,
): UsageRange & { stepMs: number } {
  const to = asked.to ?? now;
  const lengthMs = to.getTime() - asked.from.getTime();
  if (lengthMs <= 0) throw badInput('from must be before to');
  if (lengthMs > LONGEST_MS) throw badInput('The range is limited to 92 days.');
  const stepMs = STEPS_MS.find((step) => lengthMs <= step * MAX_POINTS) ?? (STEPS_MS.at(-1) as number);
  const firstMs = Math.ceil(asked.from.getTime() / stepMs) * stepMs;
  return { from: new Date(Math.min(firstMs, to.getTime() - (to.getTime() % stepMs))), to, stepMs };
}

/**
 * A quantile of a histogram with the bounds `LATENCY_BOUNDS_MS`, interpolated within its bucket; null if it is empty. Values
 * above the last bound count as that bound.
 */
export function quantileOf(durations: readonly number[], quantile: number): number | null {
  const rank = durations.reduce((sum, requests) => sum + requests, 0) * quantile;
  if (rank === 0) return null;
  let below = 0;
  for (const [bucket, requests] of durations.entries()) {
    const start = LATENCY_BOUNDS_MS[bucket - 1] ?? 0;
    const end = LATENCY_BOUNDS_MS[bucket] ?? start;
    if (below + requests >= rank) return start + ((end - start) * (rank - below)) / requests;
    below += requests;
  }
  return LATENCY_BOUNDS_MS.at(-1) ?? null;
}

const MAX_PUBLICATIONS = 50;

/** Decisions of all tenants over time. */
@Injectable()
export class TrafficService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly tiers: TiersRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError BAD_USER_INPUT for an invalid range */
  async find(args: TrafficArgs): Promise<Traffic> {
    const { stepMs, ...range } = parseTrafficRange(args, this.clock.now());
    const [fromMs, toMs] = [range.from.getTime(), range.to.getTime()];
    const lengthMs = Math.ceil((toMs - fromMs) / stepMs) * stepMs;
    const before = { from: new Date(fromMs - lengthMs), to: new Date(toMs - lengthMs) };
    const [rows, previous, publications] = await Promise.all([
      this.usage.listTraffic(range, stepMs),
      this.usage.listTraffic(before, stepMs),
      this.tiers.listPublished(range, MAX_PUBLICATIONS),
    ]);
    const points = rows.map(pointOf);
    const previousPoints = previous.map((row) => ({ at: row.at, ...countOf(row) }));
    return {
      ...range,
      stepMs,
      points,
      total: totalOf(points),
      previousPoints,
      previousTotal: totalOf(previousPoints),
      ...latencyOf(rows),
      publications,
    };
  }
}

function pointOf(row: TrafficPointRow): TrafficPoint {
  return { at: row.at, ...countOf(row), ...latencyOf([row]) };
}

function latencyOf(rows: readonly TrafficPointRow[]): Pick<TrafficPoint, 'p50Ms' | 'p99Ms'> {
  const sums = [...LATENCY_BOUNDS_MS, Number.POSITIVE_INFINITY].map((_, bucket) =>
    rows.reduce((sum, { durations }) => sum + Number(durations[bucket] ?? 0), 0),
  );
  return { p50Ms: quantileOf(sums, 0.5), p99Ms: quantileOf(sums, 0.99) };
}

/** Query cost of reading the minutes of two periods. */
const MINUTES = 20;

@Resolver()
export class TrafficResolver {
  constructor(private readonly traffic: TrafficService) {}

  @RequirePermission('usage:read')
  @Query(() => Traffic, {
    name: 'traffic',
    complexity: MINUTES,
    description: 'Decisions of all tenants over time, seconds after they were made.',
  })
  find(@Args() args: TrafficArgs): Promise<Traffic> {
    return this.traffic.find(args);
  }
}
