import type { LimitPolicy, QuotaPeriod } from '@tollgate/contracts';
import { maxUnitsAtOnce } from '../apis/api.rules.js';

/** A limit that is never reached, by its place, and the one that always refuses first. */
export interface NeverReached {
  index: number;
  by: LimitPolicy;
}

/**
 * Finds limits that can never refuse, delay or mark a request, because another one of the same version, by the same
 * dimensions or coarser ones, never lets enough pass. It says so only where that is certain of requests alone (what is
 * reset by hand, settled above what was reserved or carried over by a change left aside); of two that are alike, the later
 * one is never reached. Limits that are not enforced for all, or are leased, neither bind others for certain nor are judged.
 */
export function findNeverReached(policies: readonly LimitPolicy[]): NeverReached[] {
  return policies.flatMap((policy, index) => {
    const by = policies.find(
      (other, place) =>
        place !== index && refusesBefore(other, policy) && (place < index || !refusesBefore(policy, other)),
    );
    return by === undefined ? [] : [{ index, by }];
  });
}

/** Whether every request that `narrow` passes is one that `wide` has room for. */
function refusesBefore(narrow: LimitPolicy, wide: LimitPolicy): boolean {
  if (narrow.api !== wide.api || !isFirm(narrow) || !isJudged(wide)) return false;
  if (!countsAllOf(narrow, wide) || isStricterInOutage(wide, narrow)) return false;
  const most = maxUnitsAtOnce(narrow);
  const room = roomOf(wide);
  if (most === undefined || room === undefined) return false;
  const periods = periodsWithin(narrow, wide);
  if (periods !== undefined && most * periods <= room.limit) return true;
  const flow = flowOf(narrow, most);
  return flow !== undefined && fits(flow, room);
}

/** How many periods of `narrow` make up one of `wide`, at most, where both begin by the same clock. */
function periodsWithin(narrow: LimitPolicy, wide: LimitPolicy): number | undefined {
  if (narrow.algorithm === 'fixed_window' && wide.algorithm === 'fixed_window') {
    const byClock = narrow.alignment === 'clock' && wide.alignment === 'clock';
    return byClock && wide.windowMs % narrow.windowMs === 0 ? wide.windowMs / narrow.windowMs : undefined;
  }
  if (narrow.algorithm === 'quota' && wide.algorithm === 'quota') {
    if (narrow.period === wide.period) return 1;
    return narrow.period === 'day' ? (wide.period === 'week' ? 7 : 31) : undefined;
  }
  if (narrow.algorithm === 'sliding_window_counter' && wide.algorithm === 'sliding_window_counter')
    return narrow.windowMs === wide.windowMs && narrow.buckets === wide.buckets ? 1 : undefined;
  if (narrow.algorithm === 'token_bucket' && wide.algorithm === 'token_bucket') {
    const alike = narrow.windowMs === wide.windowMs && narrow.limit === wide.limit;
    return alike && narrow.refill === wide.refill ? 1 : undefined;
  }
  return undefined;
}

const isEnforced = ({ enforcement, consistency }: LimitPolicy) =>
  (enforcement?.mode ?? 'enforce') === 'enforce' && (consistency?.mode ?? 'strict') === 'strict';

/** Nothing that it counted comes back, and nothing passes it later than it was counted. */
function isFirm(policy: LimitPolicy): boolean {
  return isEnforced(policy) && (policy.charge ?? 'always') === 'always' && policy.throttle?.mode !== 'queue';
}

/** A limit with a candidate is kept for what that tells. */
function isJudged(policy: LimitPolicy): boolean {
  return isEnforced(policy) && policy.candidate === undefined;
}

/** Whether what one counter of `wide` counts is all counted by one counter of `narrow` too. */
function countsAllOf(narrow: LimitPolicy, wide: LimitPolicy): boolean {
  if (!countsSameWithoutValues(narrow, wide)) return false;
  const dimensions = dimensionsOf(wide);
  if (!dimensionsOf(narrow).every((dimension) => dimensions.includes(dimension))) return false;
  if (narrow.operations.length === 0) return true;
  return wide.operations.length > 0 && wide.operations.every((name) => narrow.operations.includes(name));
}

/** Whether `narrow` counts, or rejects, each request without a value for a dimension that `wide` counts or rejects. */
function countsSameWithoutValues(narrow: LimitPolicy, wide: LimitPolicy): boolean {
  const [few, many] = [narrow, wide].map(({ per }) => per.filter((name) => name !== 'global').length);
  if (many === 0) return true;
  if (wide.onMissing === 'refuse') return narrow.onMissing === 'refuse' && few === many;
  return few === 0 || narrow.onMissing !== 'skip' || wide.onMissing === 'skip';
}

function dimensionsOf({ per }: LimitPolicy): string[] {
  return per[0] === 'global' ? per.slice(1) : ['tenant', ...per];
}

const STRICTNESS: Record<LimitPolicy['onUnavailable'], number> = { allow: 0, share: 1, deny: 2 };

/** Then it has its use while Redis is away. */
function isStricterInOutage(wide: LimitPolicy, narrow: LimitPolicy): boolean {
  return STRICTNESS[wide.onUnavailable] > STRICTNESS[narrow.onUnavailable];
}

/**
 * The most units that pass in any `t` microseconds, both ends included: `first`, and `more` for each whole `periodUs` in
 * `t + earlyUs`.
 */
interface Flow {
  first: number;
  more: number;
  periodUs: number;
  earlyUs: number;
}

/**
 * Units that there is room for: `capacity` in any span of that length, or `capacity` at once and one more each `unitUs`,
 * whenever a period begins; `limit` in the period of the limit's own clock.
 */
type Room = { limit: number; capacity: number } & ({ spanUs: number } | { unitUs: number });

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The shortest and the longest that a period lasts, ms: a change of the clocks by two hours at most. */
const PERIODS_MS: Record<QuotaPeriod, readonly [number, number]> = {
  day: [DAY_MS - 2 * HOUR_MS, DAY_MS + 2 * HOUR_MS],
  week: [7 * DAY_MS - 2 * HOUR_MS, 7 * DAY_MS + 2 * HOUR_MS],
  month: [28 * DAY_MS - 2 * HOUR_MS, 31 * DAY_MS + 2 * HOUR_MS],
  billing: [28 * DAY_MS - 2 * HOUR_MS, 31 * DAY_MS + 2 * HOUR_MS],
};

/** @param most what passes at once */
function flowOf(policy: LimitPolicy, most: number): Flow | undefined {
  // A window may pass all of it at its end, the next one at its beginning.
  const windows = (periodUs: number): Flow => ({ first: most, more: most, periodUs, earlyUs: periodUs });
  switch (policy.algorithm) {
    case 'fixed_window':
      return windows(policy.windowMs * 1000);
    case 'quota':
      return windows(PERIODS_MS[policy.period][0] * 1000);
    case 'sliding_window_log':
      return { first: most, more: most, periodUs: policy.windowMs * 1000, earlyUs: 0 };
    case 'sliding_window_counter': {
      const periodUs = policy.windowMs * 1000;
      return { first: most, more: most, periodUs, earlyUs: Math.ceil(periodUs / policy.buckets) };
    }
    case 'token_bucket':
      if (policy.refill === 'interval')
        return { ...windows(policy.windowMs * 1000), first: most, more: policy.limit };
      return { first: most, more: 1, periodUs: unitUsOf(policy), earlyUs: 0 };
    case 'leaky_bucket':
    case 'gcra':
      return { first: most, more: 1, periodUs: unitUsOf(policy), earlyUs: 0 };
    case 'concurrency':
      return undefined;
  }
}

/** Up to the limit itself: what a throttle lets pass beyond is told to the caller, so the limit has its use. */
function roomOf(policy: LimitPolicy): Room | undefined {
  const { limit } = policy;
  const windows = (spanMs: number): Room => ({ limit, capacity: limit, spanUs: spanMs * 1000 });
  const spaced = (capacity: number, rate: { windowMs: number; limit: number }, behind = 0): Room => ({
    limit: capacity,
    capacity: capacity - behind,
    unitUs: unitUsOf(rate),
  });
  switch (policy.algorithm) {
    case 'fixed_window':
    case 'sliding_window_log':
      return windows(policy.windowMs);
    case 'sliding_window_counter':
      // Alone, a sub-window is weighed together with the one before it.
      return windows(policy.buckets === 1 ? 2 * policy.windowMs : policy.windowMs);
    case 'quota':
      return windows(PERIODS_MS[policy.period][1]);
    case 'token_bucket':
      // What comes back at once at an interval's end comes up to an interval late.
      return spaced(policy.capacity, policy, policy.refill === 'interval' ? limit : 0);
    case 'gcra':
      return spaced(policy.burst + 1, policy);
    case 'leaky_bucket':
      // Whoever comes second waits.
      return spaced(1, policy);
    case 'concurrency':
      return undefined;
  }
}

function unitUsOf({ windowMs, limit }: { windowMs: number; limit: number }): number {
  return Math.ceil((windowMs * 1000) / limit);
}

function fits({ first, more, periodUs, earlyUs }: Flow, room: Room): boolean {
  const { capacity } = room;
  if ('spanUs' in room) {
    return first + more * Math.floor((room.spanUs - 1 + earlyUs) / periodUs) <= capacity;
  }
  // Both grow steadily, the flow in steps: it fits if its first steps do and it is not the faster one.
  const atOnce = Math.floor(earlyUs / periodUs);
  return (
    more * room.unitUs <= periodUs &&
    [atOnce, atOnce + 1].every(
      (steps) => (first + more * steps - capacity) * room.unitUs <= Math.max(0, steps * periodUs - earlyUs),
    )
  );
}
