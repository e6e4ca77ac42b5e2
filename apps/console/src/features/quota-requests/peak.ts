import type { UsageInterval } from '../../generated/graphql.js';

const HOUR_MS = 3_600_000;

/** One minute, hour or day of usage. */
export interface Point {
  at: string;
  units: number;
  refused: number;
}

/** When most was used, and all that was refused. */
export interface Peak {
  /** Undefined: nothing was used. */
  top: Point | undefined;
  refused: number;
  points: Point[];
}

/** Points as long as the limit's window, or the next shorter ones: a peak is compared with what the limit admits. */
export function intervalFor(windowMs: number): UsageInterval {
  if (windowMs < HOUR_MS) return 'MINUTE';
  return windowMs < 24 * HOUR_MS ? 'HOUR' : 'DAY';
}

const INTERVAL_MS: Readonly<Record<UsageInterval, number>> = {
  MINUTE: 60_000,
  HOUR: HOUR_MS,
  DAY: 24 * HOUR_MS,
};

/** What a limit admits in one interval; undefined where its window is longer, so that the two do not compare. */
export function admittedIn(limit: number, windowMs: number, interval: UsageInterval): number | undefined {
  const length = INTERVAL_MS[interval];
  return windowMs <= length ? Math.floor((limit / windowMs) * length) : undefined;
}

/** How many days back a peak is looked for; one question reaches over a day of minutes at most. */
export const lookBack = (interval: UsageInterval): number => ({ MINUTE: 1, HOUR: 7, DAY: 30 })[interval];

export function findPeak(points: readonly Point[]): Peak {
  const top = points.reduce<Point | undefined>(
    (most, point) => (most === undefined || point.units > most.units ? point : most),
    undefined,
  );
  const refused = points.reduce((sum, point) => sum + point.refused, 0);
  return { top, refused, points: [...points] };
}

/** A request that the peak leaves room in: a quarter above it, in round numbers, and never what there is already. */
export function suggestWanted(current: number, peak: number | undefined): number {
  if (peak === undefined || peak * 1.25 <= current) return current * 2;
  const digits = Math.max(0, Math.floor(Math.log10(peak * 1.25)) - 1);
  const step = 10 ** digits;
  return Math.ceil((peak * 1.25) / step) * step;
}
