import { coversApi, isBlocking, type LimitPolicy, type QuotaPeriod } from '@tollgate/contracts';
import { countsInWindows } from '@tollgate/contracts/limit-title';
import { type Period, periodAt } from '@tollgate/limiter/algorithms';
import { coversOperation } from '../../catalogue/index.js';

const HOUR_MS = 3_600_000;

/** The busiest window of a rate limit is searched in this time. */
export const RATE_MS = HOUR_MS;

/** A limit that denied a request in this time is rate limited now. */
const NOW_MS = 60_000;

/** Readings of a limit cover this time each. */
const READING_MS = 300_000;

const FULL = 100;

/** A stored reading of a limit (`LimitPeak`). */
export interface PeakReading {
  api: string;
  limitName: string;
  /** Rates: start of five minutes; quotas: end of the period. */
  atMs: number;
  isQuota: boolean;
  used: number;
  capacity: number;
  peakAtMs: number;
  denied: number;
  deniedAtMs: number | null;
}

/** Charged units of an operation in the last 24 hours. */
export interface ChargedUnits {
  api: string;
  operation: string;
  units: number;
}

/** Utilization of one limit; times in Unix milliseconds. */
export interface LimitState {
  apiKey: string;
  limitName: string;
  /** Of the limit that is in effect now. */
  limit: number;
  windowMs: number | null;
  period: QuotaPeriod | null;
  per: string[];
  used: number;
  /** Of the limit when `used` was read; for quotas: of the limit now. */
  capacity: number;
  /** 0 to 100, rounded down. */
  percent: number;
  /** Units denied in the last hour; for quotas: in the period. */
  denied: number;
  peakAtMs: number | null;
  limitedSinceMs: number | null;
  resetsAtMs: number | null;
  unitsPerHour: number | null;
  exhaustsAtMs: number | null;
}

export interface Calendar {
  timeZone: string;
  billingAnchorDay: number;
}

/** Percent of a limit: 100 only if it is full, 0 only if it is unused. */
export function percentOf(used: number, capacity: number): number {
  if (used >= capacity) return FULL;
  return Math.max(used > 0 ? 1 : 0, Math.floor((used / capacity) * FULL));
}

/**
 * Utilization of a tenant's enforced limits that count, fullest first; ties by denials. Rates: the busiest window of the last hour
 * divided by the limit at that time, 100 % after a denial. Quotas: used in the current period divided by the quota. Of a
 * limit with dimensions, the fullest counter counts.
 * @param hours of which `charged` is the usage
 */
export function utilizationOf(
  policies: readonly LimitPolicy[],
  readings: readonly PeakReading[],
  charged: readonly ChargedUnits[],
  hours: number,
  calendar: Calendar,
  nowMs: number,
): LimitState[] {
  const byLimit = Map.groupBy(readings, ({ api, limitName }) => `${api}/${limitName}`);
  return policies
    .filter((policy) => policy.enforcement?.mode !== 'shadow' && !isBlocking(policy))
    .map((policy) => {
      const own = byLimit.get(`${policy.api}/${policy.name}`) ?? [];
      if (policy.algorithm !== 'quota') return rateState(policy, own, nowMs);
      const period = periodAt(policy.period, calendar.timeZone, calendar.billingAnchorDay, nowMs);
      return quotaState(policy, own, unitsOf(policy, charged) / hours, period, nowMs);
    })
    .sort(byFullness);
}

/** Fullest first; ties by denials, then by name. */
export function byFullness(a: LimitState, b: LimitState): number {
  return (
    b.percent - a.percent ||
    b.denied - a.denied ||
    `${a.apiKey}/${a.limitName}`.localeCompare(`${b.apiKey}/${b.limitName}`)
  );
}

/** Charged units of the operations that a limit counts. */
function unitsOf(policy: LimitPolicy, charged: readonly ChargedUnits[]): number {
  return charged
    .filter(({ api, operation }) => coversApi(policy, api) && coversOperation(policy, operation))
    .reduce((sum, { units }) => sum + units, 0);
}

function rateState(policy: LimitPolicy, readings: readonly PeakReading[], nowMs: number): LimitState {
  const past = readings.filter(({ isQuota, atMs }) => !isQuota && atMs > nowMs - RATE_MS && atMs <= nowMs);
  const denied = past.reduce((sum, one) => sum + one.denied, 0);
  // A window of an hour or more is still open: after an increase, it has the new limit.
  const isOpen = countsInWindows(policy) && 'windowMs' in policy && policy.windowMs >= RATE_MS;
  const recent = past.map((one) =>
    isOpen && one.capacity < policy.limit ? { ...one, capacity: policy.limit, denied: 0 } : one,
  );
  const [peak] = [...recent].sort(
    (a, b) => fullness(b) - fullness(a) || b.denied - a.denied || b.peakAtMs - a.peakAtMs,
  );
  return {
    ...stateOf(policy, denied),
    used: peak?.used ?? 0,
    capacity: peak?.capacity ?? policy.limit,
    percent: peak === undefined ? 0 : fullness(peak),
    peakAtMs: peak?.peakAtMs ?? null,
    limitedSinceMs: limitedSince(recent, nowMs),
  };
}

function fullness({ used, capacity, denied }: PeakReading): number {
  return denied > 0 ? FULL : percentOf(used, capacity);
}

/** Start of the unbroken five-minute intervals with denials up to now. */
function limitedSince(readings: readonly PeakReading[], nowMs: number): number | null {
  const denying = readings.filter(({ denied }) => denied > 0).sort((a, b) => b.atMs - a.atMs);
  const [last] = denying;
  if (last === undefined || (last.deniedAtMs ?? 0) < nowMs - NOW_MS) return null;
  let first = last;
  for (const one of denying) {
    if (first.atMs - one.atMs > READING_MS) break;
    first = one;
  }
  return first.atMs;
}

function quotaState(
  policy: LimitPolicy,
  readings: readonly PeakReading[],
  unitsPerHour: number,
  { startMs, endMs }: Period,
  nowMs: number,
): LimitState {
  const [reading] = readings
    .filter((one) => one.isQuota && one.peakAtMs >= startMs && one.atMs > nowMs)
    .sort((a, b) => b.peakAtMs - a.peakAtMs);
  const { limit } = policy;
  const used = reading?.used ?? 0;
  const denied = reading?.denied ?? 0;
  // A denial fills the quota although a smaller cost would still fit, unless the quota was increased since.
  const hasDenied = (reading?.deniedAtMs ?? 0) > nowMs - RATE_MS && (reading?.capacity ?? 0) >= limit;
  return {
    ...stateOf(policy, denied),
    used,
    capacity: limit,
    percent: hasDenied ? FULL : percentOf(used, limit),
    peakAtMs: reading?.peakAtMs ?? null,
    resetsAtMs: endMs,
    unitsPerHour,
    exhaustsAtMs: forecastExhaustion({ limit, used, unitsPerHour }, nowMs, endMs),
  };
}

function stateOf(policy: LimitPolicy, denied: number): LimitState {
  const { api, name, limit, per } = policy;
  return {
    apiKey: api,
    limitName: name,
    limit,
    windowMs: 'windowMs' in policy ? policy.windowMs : null,
    period: policy.algorithm === 'quota' ? policy.period : null,
    per: [...per],
    used: 0,
    capacity: limit,
    percent: 0,
    denied,
    peakAtMs: null,
    limitedSinceMs: null,
    resetsAtMs: null,
    unitsPerHour: null,
    exhaustsAtMs: null,
  };
}

/** When a quota is exhausted at its present pace, Unix ms; null: not before it resets. Now if it is. */
export function forecastExhaustion(
  { limit, used, unitsPerHour }: { limit: number; used: number; unitsPerHour: number },
  nowMs: number,
  periodEndMs: number,
): number | null {
  const left = limit - used;
  if (left <= 0) return nowMs;
  if (unitsPerHour <= 0) return null;
  const atMs = nowMs + (left / unitsPerHour) * HOUR_MS;
  return atMs < periodEndMs ? Math.floor(atMs) : null;
}
