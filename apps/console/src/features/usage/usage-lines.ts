import { nextStep, startOfStep } from '../../lib/time-format.js';
import type { Usage, UsageCount, UsageSeries } from './api/usage.js';
import type { UsageStep } from './usage-view.js';

const STEP_MS = { minute: 60_000, hour: 3_600_000 } as const;

/** Series that are drawn by themselves; the rest is one line. */
const MOST_LINES = 6;

/** What a line is of: one series of the answer, or the rest of them together. */
export interface UsageLine {
  /** Names of the series; undefined for the rest. */
  series: UsageSeries | undefined;
  total: UsageCount;
  /** One for each time, in its order. */
  points: UsageCount[];
}

export interface UsageLines {
  /** When each point begins, unix ms; without gaps. */
  times: number[];
  /** Most decisions first; exactly one where nothing was told apart. */
  lines: UsageLine[];
  timeZone: string;
  step: UsageStep;
  /** End of the last point, unix ms: it may lie ahead, then the point is not complete. */
  endMs: number;
}

const NOTHING: UsageCount = { count: 0, refused: 0, units: 0 };

/** An answer as lines over all times of its stretch; times that the answer leaves out are zeros. */
export function linesOf(usage: Usage, step: UsageStep): UsageLines {
  const { timeZone } = usage;
  const times = timesOf(step, timeZone, Date.parse(usage.from), Date.parse(usage.to));
  const last = times.at(-1) ?? Date.parse(usage.from);
  const drawn = usage.series.slice(0, MOST_LINES);
  const rest = usage.series.slice(MOST_LINES);
  const lines = drawn.map((series) => ({
    series,
    total: series.total,
    points: pointsOf([series], times),
  }));
  if (lines.length === 0) {
    lines.push({ series: emptySeries, total: NOTHING, points: pointsOf([], times) });
  }
  const others =
    rest.length === 0
      ? []
      : [{ series: undefined, total: sumOf(rest.map(({ total }) => total)), points: pointsOf(rest, times) }];
  return { times, lines: [...lines, ...others], timeZone, step, endMs: endOf(step, timeZone, last) };
}

/** The beginnings of all points in a stretch. `fromMs` is one. */
function timesOf(step: UsageStep, timeZone: string, fromMs: number, toMs: number): number[] {
  const times: number[] = [];
  let at = step === 'month' ? startOfStep('month', timeZone, fromMs) : fromMs;
  while (at < toMs) {
    times.push(at);
    at = endOf(step, timeZone, at);
  }
  return times;
}

function endOf(step: UsageStep, timeZone: string, startMs: number): number {
  return step === 'minute' || step === 'hour' ? startMs + STEP_MS[step] : nextStep(step, timeZone, startMs);
}

/** Each point goes to the last time at or before it: a day to its month, an hour past a change of clocks to its hour. */
function pointsOf(series: readonly UsageSeries[], times: readonly number[]): UsageCount[] {
  const points = times.map(() => ({ ...NOTHING }));
  for (const { points: own } of series) {
    let index = 0;
    for (const point of own) {
      const atMs = Date.parse(point.at);
      while (index + 1 < times.length && (times[index + 1] as number) <= atMs) index++;
      const sum = points[index];
      if (sum) addTo(sum, point);
    }
  }
  return points;
}

function sumOf(counts: readonly UsageCount[]): UsageCount {
  const sum = { ...NOTHING };
  for (const count of counts) addTo(sum, count);
  return sum;
}

function addTo(sum: UsageCount, { count, refused, units }: UsageCount): void {
  sum.count += count;
  sum.refused += refused;
  sum.units += units;
}

const emptySeries: UsageSeries = {
  apiKey: null,
  operation: null,
  limitName: null,
  outcome: null,
  total: NOTHING,
  points: [],
};
