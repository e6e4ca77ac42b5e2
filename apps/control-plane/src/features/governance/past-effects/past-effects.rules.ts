import { type LimitPolicy, ruleFieldsOf } from '@tollgate/contracts';
import type { UsageBucket } from '@tollgate/replay';
import type { LimitStep } from '../../customers/index.js';
import type { PastEffectGap } from './past-effects.graphql.js';
import type { CoveredUsage } from './past-effects.repository.js';

const DAY_MS = 86_400_000;

/** Why usage of a tenant does not show the denials of the limit; undefined if it does. @param horizonMs of the compiled limit */
export function gapOf(limit: LimitPolicy, horizonMs: number): PastEffectGap | undefined {
  const { algorithm, per, charge = 'always', consistency, enforcement, throttle } = limit;
  const { amounts, penalty, sharedWithChildren } = limit;
  if (enforcement !== undefined && enforcement.mode !== 'enforce') return 'NOT_ENFORCED';
  if (sharedWithChildren === true) return 'NOT_BY_REQUESTS';
  if (per.length > 0) return per[0] === 'global' ? 'NOT_BY_REQUESTS' : 'PER_CALLER';
  if (algorithm === 'concurrency' || charge !== 'always' || consistency?.mode === 'leased')
    return 'NOT_BY_REQUESTS';
  if (amounts !== undefined || penalty !== undefined || throttle?.mode === 'elastic')
    return 'NOT_BY_REQUESTS';
  // A log that delays requests admits them at times that usage does not have.
  if (throttle?.mode === 'queue' && algorithm === 'sliding_window_log') return 'NOT_BY_REQUESTS';
  if (algorithm !== 'quota' && horizonMs > DAY_MS) return 'LONG_WINDOW';
  return undefined;
}

/** The cost of every request; null: not the same for all. */
export function costOf(rows: readonly CoveredUsage[]): number | null {
  const least = Math.min(...rows.map(({ leastCost }) => leastCost));
  const most = Math.max(...rows.map(({ mostCost }) => mostCost));
  return least === most && Number.isInteger(least) ? least : null;
}

interface BucketContext {
  after: LimitPolicy;
  /** Of the limit, oldest first. */
  steps: readonly LimitStep[];
  /** Most units of a minute by start of the day. */
  busiest: ReadonlyMap<number, number>;
  /** Starts of all days with requests. */
  busyDays: ReadonlySet<number>;
  dayOf: (atMs: number) => number;
}

/** Buckets of the same length, from rows in ascending order. */
export function bucketsOf(
  rows: readonly CoveredUsage[],
  ms: number,
  { after, steps, busiest, busyDays, dayOf }: BucketContext,
): UsageBucket[] {
  // Without requests there is no peak, and without a peak of requests their minutes are unknown.
  const busiestOn = (dayMs: number) => (busyDays.has(dayMs) ? busiest.get(dayMs) : 0);
  return rows.map(({ at, leastCost: _, mostCost: __, ...counts }) => {
    const startMs = at.getTime();
    const dayMs = dayOf(startMs);
    const [today, before] = [busiestOn(dayMs), busiestOn(dayOf(dayMs - 1))];
    return {
      ...{ startMs, ms, ...counts },
      busiestMinute: today === undefined || before === undefined ? undefined : Math.max(today, before),
      wasLower: wasLower(steps, after, startMs, startMs + ms),
    };
  });
}

function wasLower(steps: readonly LimitStep[], after: LimitPolicy, fromMs: number, toMs: number): boolean {
  if (steps.some(({ at }) => at.getTime() > fromMs && at.getTime() < toMs)) return false;
  const step = steps.findLast(({ at }) => at.getTime() <= fromMs);
  return step !== undefined && isAtMost(step.policy, after);
}

/** Whether a limit admits no more than another one of its kind. */
export function isAtMost(limit: LimitPolicy, other: LimitPolicy): boolean {
  if (
    limit.algorithm !== other.algorithm ||
    JSON.stringify(limit.throttle) !== JSON.stringify(other.throttle)
  )
    return false;
  if (limit.limit > other.limit) return false;
  const numberOf = (policy: LimitPolicy, field: string) => policy[field as keyof LimitPolicy] as unknown;
  return ruleFieldsOf(limit.algorithm).every((field) => {
    const [one, two] = [numberOf(limit, field), numberOf(other, field)];
    const grows = field === 'burst' || field === 'capacity' || field === 'queue';
    return grows ? (one as number) <= (two as number) : one === two;
  });
}
