import type { UsageInterval } from '../../generated/graphql.js';

const HOUR_MS = 3_600_000;

export interface Point {
  at: string;
  units: number;
  denied: number;
}

/** Peak usage and the sum of denied requests. */
export interface Peak {
  /** Undefined without usage. */
  top: Point | undefined;
  denied: number;
  points: Point[];
}

/** The largest interval not longer than the limit's window, so that peaks compare with the limit. */
export function intervalFor(windowMs: number): UsageInterval {
  if (windowMs < HOUR_MS) return 'MINUTE';
  return windowMs < 24 * HOUR_MS ? 'HOUR' : 'DAY';
}

const INTERVAL_MS: Readonly<Record<UsageInterval, number>> = {
  MINUTE: 60_000,
  HOUR: HOUR_MS,
  DAY: 24 * HOUR_MS,
};

/** Units a limit allows in one interval; undefined if its window is longer. */
export function admittedIn(limit: number, windowMs: number, interval: UsageInterval): number | undefined {
  const length = INTERVAL_MS[interval];
  return windowMs <= length ? Math.floor((limit / windowMs) * length) : undefined;
}

/** Number of days to search for a peak; the server returns at most a day of minutes. */
export const lookBack = (interval: UsageInterval): number => ({ MINUTE: 1, HOUR: 7, DAY: 30 })[interval];

export function findPeak(points: readonly Point[]): Peak {
  const top = points.reduce<Point | undefined>(
    (most, point) => (most === undefined || point.units > most.units ? point : most),
    undefined,
  );
  const denied = points.reduce((sum, point) => sum + point.denied, 0);
  return { top, denied, points: [...points] };
}

/** Suggests 25 % more than the peak, rounded, and more than the current limit. */
export function suggestWanted(current: number, peak: number | undefined): number {
  if (peak === undefined || peak * 1.25 <= current) return current * 2;
  const digits = Math.max(0, Math.floor(Math.log10(peak * 1.25)) - 1);
  const step = 10 ** digits;
  return Math.ceil((peak * 1.25) / step) * step;
}
