import type { Outcome, UsageFrame } from '@tollgate/contracts';
import { periodAt, startOfHour } from '@tollgate/limiter/algorithms';

const MINUTE_MS = 60_000;

/** Times further in the future than this are replaced by the current time: the node's clock is wrong. */
const MAX_AHEAD_MS = 5 * MINUTE_MS;

/** Decisions of one tenant and series in one time bucket. */
export interface CountRow {
  tenantId: string;
  seriesId: number;
  atMs: number;
  count: number;
  units: number;
  /** Decisions that checked the limit's candidate; not part of `count`. */
  candidateCount: number;
  candidateDenied: number;
  candidateDeniedUnits: number;
}

/** Decisions of a minute, with the start of its day in the tenant's time zone. */
export type MinuteRow = CountRow & { dayMs: number };

/** A row of a frame with resolved names. */
export type FoldInput = CountRow & { timeZone: string };

/** The minute of a row in Unix milliseconds, limited to the near future. */
export function minuteOf(minute: number, nowMs: number): number {
  const atMs = minute * MINUTE_MS;
  return atMs > nowMs + MAX_AHEAD_MS ? nowMs - (nowMs % MINUTE_MS) : atMs;
}

/** Sums rows by minute, and by hour and day in each tenant's time zone. */
export function fold(rows: readonly FoldInput[]): {
  minutes: MinuteRow[];
  hours: CountRow[];
  days: CountRow[];
} {
  const hourOf = memoize(startOfHour);
  const dayOf = memoize((timeZone, atMs) => periodAt('day', timeZone, 1, atMs).startMs);
  const zones = new Map(rows.map(({ tenantId, timeZone }) => [tenantId, timeZone]));
  const zoneOf = ({ tenantId }: CountRow) => zones.get(tenantId) ?? 'UTC';
  const minutes = sum(rows, ({ atMs }) => atMs).map((row) => ({
    ...row,
    dayMs: dayOf(zoneOf(row), row.atMs),
  }));
  return {
    minutes,
    hours: sum(minutes, (row) => hourOf(zoneOf(row), row.atMs)),
    days: sum(minutes, ({ dayMs }) => dayMs),
  };
}

/** Decisions of all tenants in one minute. */
export interface TrafficRow {
  atMs: number;
  count: number;
  denied: number;
  /** Allowed while the counters' Redis was unavailable. */
  degraded: number;
  units: number;
  candidateCount: number;
  candidateDenied: number;
  candidateDeniedUnits: number;
  /** Requests per bucket of `LATENCY_BOUNDS_MS`; empty: none were measured. */
  durations: number[];
}

const NO_TRAFFIC: Omit<TrafficRow, 'atMs' | 'durations'> = {
  ...{ count: 0, denied: 0, degraded: 0, units: 0 },
  ...{ candidateCount: 0, candidateDenied: 0, candidateDeniedUnits: 0 },
};

const DENIALS: ReadonlySet<Outcome> = new Set<Outcome>(['denied', 'pool_denied', 'degraded_denied']);

export function isDenied(outcome: Outcome): boolean {
  return DENIALS.has(outcome);
}

/** Sums frames by minute; durations belong to the minute in which the frame was sent. */
export function foldTraffic(frames: readonly UsageFrame[], nowMs: number): TrafficRow[] {
  const minutes = new Map<number, TrafficRow>();
  const rowAt = (minute: number): TrafficRow => {
    const atMs = minuteOf(minute, nowMs);
    const known = minutes.get(atMs);
    const row = known ?? { ...NO_TRAFFIC, atMs, durations: [] };
    minutes.set(atMs, row);
    return row;
  };
  for (const { rows, durations, atMs } of frames) {
    for (const { minute, outcome, count, units, ...candidate } of rows) {
      const row = rowAt(minute);
      row.count += count;
      row.units += units;
      row.candidateCount += candidate.candidateCount ?? 0;
      row.candidateDenied += candidate.candidateDenied ?? 0;
      row.candidateDeniedUnits += candidate.candidateDeniedUnits ?? 0;
      if (isDenied(outcome)) row.denied += count;
      if (outcome === 'degraded_allowed') row.degraded += count;
    }
    if (durations === undefined) continue;
    const row = rowAt(Math.floor(atMs / MINUTE_MS));
    row.durations = durations.map((requests, bucket) => requests + (row.durations[bucket] ?? 0));
  }
  return [...minutes.values()];
}

/** Frames of one node process that are not counted yet, in order. */
export function newFrames(
  frames: readonly UsageFrame[],
  counted: number,
): { fresh: UsageFrame[]; last: number; missed: number; repeated: number } {
  const fresh: UsageFrame[] = [];
  let last = counted;
  let missed = 0;
  for (const frame of frames) {
    if (frame.sequence <= last) continue;
    missed += frame.sequence - last - 1;
    last = frame.sequence;
    fresh.push(frame);
  }
  return { fresh, last, missed, repeated: frames.length - fresh.length };
}

const COUNTS = ['count', 'units', 'candidateCount', 'candidateDenied', 'candidateDeniedUnits'] as const;

type Counts = Pick<CountRow, (typeof COUNTS)[number]>;

function sum<T extends CountRow>(rows: readonly T[], bucketOf: (row: T) => number): CountRow[] {
  const sums = new Map<string, CountRow>();
  for (const row of rows) {
    const atMs = bucketOf(row);
    const key = `${row.tenantId} ${row.seriesId} ${atMs}`;
    const known = sums.get(key);
    if (known === undefined) {
      const { tenantId, seriesId } = row;
      const counts = Object.fromEntries(COUNTS.map((name) => [name, row[name]])) as Counts;
      sums.set(key, { tenantId, seriesId, atMs, ...counts });
    } else {
      for (const name of COUNTS) known[name] = Math.min(known[name] + row[name], Number.MAX_SAFE_INTEGER);
    }
  }
  return [...sums.values()];
}

/** Memoizes time zone conversions, which take microseconds: a batch repeats the same few minutes and zones. */
function memoize(convert: (timeZone: string, atMs: number) => number) {
  const known = new Map<string, number>();
  return (timeZone: string, atMs: number): number => {
    const key = `${atMs} ${timeZone}`;
    const value = known.get(key) ?? convert(timeZone, atMs);
    known.set(key, value);
    return value;
  };
}
