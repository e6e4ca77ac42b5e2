import {
  coversApisOf,
  findFloorProblem,
  isBlocking,
  type LimitPolicy,
  prefixesOf,
  type QuotaPeriod,
} from '@tollgate/contracts';
import { maxUnitsAtOnce } from '../apis/api.rules.js';

/** The index of a limit that is never reached, and the limit that denies first. */
export interface UnreachableLimit {
  index: number;
  by: LimitPolicy;
  /** What can make tenants reach it; undefined: nothing but overrides and purchases. */
  unless?: string;
}

/** Whether a limit denies first: for every tenant, or unless something holds that only some tenants have. */
type Proof = Pick<UnreachableLimit, 'unless'>;

/**
 * Finds limits that can never deny, delay or mark a request, because another limit of the same version with the same or
 * fewer dimensions denies first. For requests alone: manual resets, commits above the reserved amount, carry-over, overrides
 * and purchases are ignored. Of two equal limits the later one is unreachable. Limits that are leased or not enforced for all
 * counters are skipped, on both sides.
 */
export function findUnreachable(policies: readonly LimitPolicy[]): UnreachableLimit[] {
  return policies.flatMap((policy, index) => {
    const found = policies.flatMap((by, otherIndex) => {
      const proof = otherIndex === index ? undefined : proofOf(by, policy);
      const isLater = otherIndex < index || proofOf(policy, by) === undefined;
      return proof === undefined || !isLater ? [] : [{ index, by, ...proof }];
    });
    const first = found.find(({ unless }) => unless === undefined) ?? found[0];
    return first === undefined ? [] : [first];
  });
}

/** Proof that `narrow` denies before `wide`; undefined: it may not. */
function proofOf(narrow: LimitPolicy, wide: LimitPolicy): Proof | undefined {
  if (!deniesBefore(narrow, wide)) return undefined;
  if (wide.warmUp !== undefined) return { unless: 'a tenant warms up' };
  const hasFloors = wide.sharedWithChildren === true && findFloorProblem(wide) === undefined;
  return hasFloors ? { unless: 'a child has a floor of it' } : {};
}

/** Whether `wide` has room for every request that `narrow` admits. */
function deniesBefore(narrow: LimitPolicy, wide: LimitPolicy): boolean {
  if (!coversApisOf(narrow, wide) || !isFirm(narrow) || !canBeUnreachable(wide)) return false;
  if (!countsAllOf(narrow, wide) || isStricterInOutage(wide, narrow) || warmsUpBelow(narrow, wide))
    return false;
  const max = maxUnitsAtOnce(withRollover(narrow));
  const room = roomOf(wide);
  if (max === undefined || room === undefined) return false;
  const periods = periodsWithin(narrow, wide);
  if (periods !== undefined && max * periods <= room.limit) return true;
  const flow = flowOf(narrow, max);
  return flow !== undefined && fits(flow, room);
}

/** The most periods of `narrow` in one period of `wide`; undefined unless both start on the same clock. */
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

/** Whether it never refunds units and never admits a request later than it counted it. */
function isFirm(policy: LimitPolicy): boolean {
  return isEnforced(policy) && (policy.charge ?? 'always') === 'always' && policy.throttle?.mode !== 'queue';
}

/** A limit with a candidate, or with amounts for labels, is useful for them. A blocking limit denies first. */
function canBeUnreachable(policy: LimitPolicy): boolean {
  const { candidate, amounts } = policy;
  return isEnforced(policy) && candidate === undefined && amounts === undefined && !isBlocking(policy);
}

/** The limit with the most units that can roll over from the period before. */
function withRollover(policy: LimitPolicy): LimitPolicy {
  const { limit, rolloverPercent = 0 } = policy;
  return rolloverPercent === 0
    ? policy
    : { ...policy, limit: limit + Math.floor((limit * rolloverPercent) / 100) };
}

/** Whether `wide` starts at a smaller part of its number than `narrow`. */
function warmsUpBelow({ warmUp: narrow }: LimitPolicy, { warmUp: wide }: LimitPolicy): boolean {
  if (wide === undefined) return false;
  return narrow === undefined || narrow.ms !== wide.ms || narrow.startPercent > wide.startPercent;
}

/** Whether one counter of `narrow` counts every request that one counter of `wide` counts. */
function countsAllOf(narrow: LimitPolicy, wide: LimitPolicy): boolean {
  if (!countsSameWithoutValues(narrow, wide) || !countsNetworksOf(narrow, wide)) return false;
  // A shared limit counts requests of children, too.
  if (wide.sharedWithChildren === true && narrow.sharedWithChildren !== true) return false;
  const dimensions = dimensionsOf(wide);
  if (!dimensionsOf(narrow).every((dimension) => dimensions.includes(dimension))) return false;
  if (narrow.operations.length === 0) return true;
  return wide.operations.length > 0 && wide.operations.every((name) => narrow.operations.includes(name));
}

/** Whether each network of addresses of `wide` is part of one of `narrow`. */
function countsNetworksOf(narrow: LimitPolicy, wide: LimitPolicy): boolean {
  if (!narrow.per.includes('ip')) return true;
  const [outer, inner] = [prefixesOf(narrow), prefixesOf(wide)];
  return outer.ipv4Prefix <= inner.ipv4Prefix && outer.ipv6Prefix <= inner.ipv6Prefix;
}

/** Whether `narrow` counts or rejects every request without a dimension value that `wide` counts or rejects. */
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

/** Then `wide` is useful while Redis is unavailable. */
function isStricterInOutage(wide: LimitPolicy, narrow: LimitPolicy): boolean {
  return STRICTNESS[wide.onUnavailable] > STRICTNESS[narrow.onUnavailable];
}

/**
 * The most units admitted in any `t` microseconds, both ends included: `first`, and `more` for each whole `periodUs` in
 * `t + earlyUs`.
 */
interface Flow {
  first: number;
  more: number;
  periodUs: number;
  earlyUs: number;
}

/**
 * The units that a limit admits: `capacity` in any span of `spanUs`, or `capacity` at once and one more each `unitUs`,
 * wherever a period starts; `limit` in a period of the limit's own clock.
 */
type Room = { limit: number; capacity: number } & ({ spanUs: number } | { unitUs: number });

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The shortest and the longest duration of a period, ms; daylight saving changes it by two hours at most. */
const PERIODS_MS: Record<QuotaPeriod, readonly [number, number]> = {
  day: [DAY_MS - 2 * HOUR_MS, DAY_MS + 2 * HOUR_MS],
  week: [7 * DAY_MS - 2 * HOUR_MS, 7 * DAY_MS + 2 * HOUR_MS],
  month: [28 * DAY_MS - 2 * HOUR_MS, 31 * DAY_MS + 2 * HOUR_MS],
  billing: [28 * DAY_MS - 2 * HOUR_MS, 31 * DAY_MS + 2 * HOUR_MS],
};

/** @param max units admitted at once */
function flowOf(policy: LimitPolicy, max: number): Flow | undefined {
  // One window may admit its limit at its end and the next one at its start.
  const windows = (periodUs: number): Flow => ({ first: max, more: max, periodUs, earlyUs: periodUs });
  switch (policy.algorithm) {
    case 'fixed_window':
      return windows(policy.windowMs * 1000);
    case 'quota':
      return windows(PERIODS_MS[policy.period][0] * 1000);
    case 'sliding_window_log':
      return { first: max, more: max, periodUs: policy.windowMs * 1000, earlyUs: 0 };
    case 'sliding_window_counter': {
      const periodUs = policy.windowMs * 1000;
      return { first: max, more: max, periodUs, earlyUs: Math.ceil(periodUs / policy.buckets) };
    }
    case 'token_bucket':
      if (policy.refill === 'interval')
        return { ...windows(policy.windowMs * 1000), first: max, more: policy.limit };
      return { first: max, more: 1, periodUs: unitUsOf(policy), earlyUs: 0 };
    case 'leaky_bucket':
    case 'gcra':
      return { first: max, more: 1, periodUs: unitUsOf(policy), earlyUs: 0 };
    case 'concurrency':
      return undefined;
  }
}

/** Room up to the limit: requests above it are marked by the throttle, so the limit is useful. */
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
      // A single sub-window is weighted together with the one before it.
      return windows(policy.buckets === 1 ? 2 * policy.windowMs : policy.windowMs);
    case 'quota':
      return windows(PERIODS_MS[policy.period][1]);
    case 'token_bucket':
      // Tokens added at the end of an interval are up to one interval late.
      return spaced(policy.capacity, policy, policy.refill === 'interval' ? limit : 0);
    case 'gcra':
      return spaced(policy.burst + 1, policy);
    case 'leaky_bucket':
      // The second request waits.
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
  // Both grow linearly, the flow in steps: it fits if its first steps fit and it does not grow faster.
  const atOnce = Math.floor(earlyUs / periodUs);
  return (
    more * room.unitUs <= periodUs &&
    [atOnce, atOnce + 1].every(
      (steps) => (first + more * steps - capacity) * room.unitUs <= Math.max(0, steps * periodUs - earlyUs),
    )
  );
}
