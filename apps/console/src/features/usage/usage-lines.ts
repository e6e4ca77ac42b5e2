import { wordsOfName } from '@tollgate/contracts/limit-title';
import type { UsageOutcome } from '../../generated/graphql.js';
import type { LimitTitleOf } from '../../lib/customer-page.js';
import { nextStep, startOfStep } from '../../lib/time-format.js';
import type { Usage, UsageCount, UsageSeries } from './api.js';
import type { UsageStep, UsageView } from './usage-view.js';

const formats = new Map<string, Intl.DateTimeFormat>();

const PATTERNS = {
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
  moment: {
    ...{ weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  },
  month: { month: 'short', year: 'numeric' },
  exact: {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimePattern = keyof typeof PATTERNS;

/** A moment by the clock of a zone; `exact` is `2026-11-22 14:00:00`. */
export function formatAt(atMs: number, timeZone: string, pattern: TimePattern): string {
  const key = `${timeZone} ${pattern}`;
  let format = formats.get(key);
  if (format === undefined) {
    const locale = pattern === 'exact' ? 'sv-SE' : 'en-GB';
    format = new Intl.DateTimeFormat(locale, { ...PATTERNS[pattern], timeZone });
    formats.set(key, format);
  }
  return format.format(atMs).replaceAll(',', '');
}

const OF_STEP: Readonly<Record<UsageStep, TimePattern>> = {
  minute: 'moment',
  hour: 'moment',
  day: 'weekday',
  month: 'month',
};

/** The start of a point by its step: `Sat 21 Nov 14:00`, `Sat 21 Nov`, `Nov 2026`. */
export const formatPoint = (atMs: number, timeZone: string, step: UsageStep): string =>
  formatAt(atMs, timeZone, OF_STEP[step]);

/** One line of a chart. */
export interface FigureSeries {
  name: string;
  /** Name of a color in the document's styles. */
  color: string;
  values: number[];
  /** Shown in the legend. */
  total?: number;
}

/** The data of a chart. Without grouping, outcomes are stacked. */
export interface UsageFigure {
  times: number[];
  endMs: number;
  timeZone: string;
  step: UsageStep;
  series: FigureSeries[];
  /** Each series is stacked on those after it. */
  stacked: boolean;
  bars: boolean;
  /** Drawn as a dashed line over the series. */
  ghost?: FigureSeries | undefined;
  /** Times of dashed vertical lines, Unix ms. */
  marks?: number[];
  /** Repeats the first series below the plot area, scaled to its own maximum. */
  lane?: boolean;
}

/** Space of the chart's axis on the left and its padding on the right, px. */
export const PLOT_INSET = { left: 50, right: 24 };

/** First and last time of the horizontal axis, Unix ms. Bars are centered, so both ends need half a bar of space. */
export function plotRange({ times, bars }: Pick<UsageFigure, 'times' | 'bars'>): [number, number] {
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  if (first === last) return [first - 1_800_000, last + 1_800_000];
  const step = (last - first) / (times.length - 1);
  return bars ? [first - step * 0.6, last + step * 0.6] : [first, last];
}

/** Above this number of points the chart has lines instead of bars. */
const MOST_BARS = 180;

const COLORS = [1, 2, 3, 4, 5, 6].map((number) => `--tg-series-${number}`);

const OUTCOME_COLORS: Readonly<Record<UsageOutcome, string>> = {
  ALLOWED: '--tg-allowed',
  DENIED: '--tg-denied',
  OVER_LIMIT: '--tg-series-4',
  SHADOW_DENIED: '--tg-series-3',
  POOL_DENIED: '--tg-series-5',
  NO_LIMIT: '--tg-series-2',
  DEGRADED_ALLOWED: '--tg-series-6',
  DEGRADED_DENIED: '--tg-series-rest',
};

const OUTCOME_TEXT: Readonly<Record<UsageOutcome, string>> = {
  ALLOWED: 'Allowed',
  DEGRADED_ALLOWED: 'Allowed while degraded',
  DEGRADED_DENIED: 'Denied while degraded',
  NO_LIMIT: 'Not limited',
  OVER_LIMIT: 'Allowed over the limit',
  POOL_DENIED: 'Denied by a pool',
  DENIED: 'Denied by a limit',
  SHADOW_DENIED: 'Denied in shadow mode',
};

/** Name of a series from its group values; with `titleOf` in words, else with keys. */
function nameOf(series: UsageSeries | undefined, titleOf: LimitTitleOf | undefined): string {
  if (series === undefined) return 'Others';
  const { apiKey, operation, limitName, outcome } = series;
  if (outcome) return OUTCOME_TEXT[outcome];
  if (titleOf && apiKey != null && apiKey !== '*' && operation !== '*') {
    if (limitName != null) return limitName === '' ? 'No limit' : titleOf(apiKey, limitName);
    return wordsOfName(operation ?? apiKey);
  }
  const last = operation ?? (limitName === '' ? 'no limit' : limitName);
  const named = last === null ? apiKey : `${apiKey} · ${last}`;
  return named?.replace('*', 'other names') ?? 'Usage';
}

/** The measure of the view. */
export const amountOf = (view: UsageView, { count, units }: UsageCount): number =>
  view.unit === 'units' ? units : count;

/** The chart of a view. */
export function figureOf(lines: UsageLines, view: UsageView, titleOf?: LimitTitleOf): UsageFigure {
  const { times, endMs, timeZone, step } = lines;
  const common = { times, endMs, timeZone, step };
  if (view.by) {
    const series = lines.lines.map(({ series: of, points }, index) => ({
      name: nameOf(of, titleOf),
      color: colorOf(of, index),
      values: points.map((point) => amountOf(view, point)),
    }));
    return { ...common, series, stacked: false, bars: false };
  }
  const points = lines.lines[0]?.points ?? [];
  const bars = times.length <= MOST_BARS;
  if (view.unit === 'units') {
    const units = { name: 'Cost units', color: '--tg-series-1', values: points.map((point) => point.units) };
    return { ...common, series: [units], stacked: false, bars };
  }
  const series = outcomeSeries(points);
  return { ...common, series, stacked: true, bars };
}

/** Denied on degraded on allowed; together they are all decisions. */
export function outcomeSeries(points: readonly UsageCount[]): FigureSeries[] {
  const degraded = points.map((point) => point.degraded);
  return [
    { name: 'Denied', color: '--tg-denied', values: points.map(({ denied }) => denied) },
    ...(degraded.some((count) => count > 0)
      ? [{ name: 'Degraded', color: '--tg-degraded', values: degraded }]
      : []),
    {
      name: 'Allowed',
      color: '--tg-allowed',
      values: points.map((point) => point.count - point.denied - point.degraded),
    },
  ];
}

function colorOf(series: UsageSeries | undefined, index: number): string {
  if (series === undefined) return '--tg-series-rest';
  if (series.outcome) return OUTCOME_COLORS[series.outcome];
  return COLORS[index] ?? '--tg-series-rest';
}

const STEP_MS = { minute: 60_000, hour: 3_600_000 } as const;

/** Number of series drawn separately; the rest is one line. */
const MOST_LINES = 6;

/** A line: one series, or the sum of the rest. */
export interface UsageLine {
  /** Names of the series; undefined for the rest. */
  series: UsageSeries | undefined;
  total: UsageCount;
  /** One for each time, in its order. */
  points: UsageCount[];
}

export interface UsageLines {
  /** Start of each point, Unix ms; without gaps. */
  times: number[];
  /** Most decisions first; one line without grouping. */
  lines: UsageLine[];
  timeZone: string;
  step: UsageStep;
  /** End of the last point, Unix ms; in the future while the point is incomplete. */
  endMs: number;
}

export const NOTHING: UsageCount = { count: 0, denied: 0, degraded: 0, units: 0 };

/** Usage as lines without gaps. */
export function linesOf(usage: Usage, step: UsageStep): UsageLines {
  const { timeZone } = usage;
  const times = timesOf(step, timeZone, Date.parse(usage.from), Date.parse(usage.to));
  const drawn = usage.series.length > 0 ? usage.series.slice(0, MOST_LINES) : [EMPTY_SERIES];
  const rest = usage.series.slice(MOST_LINES);
  const lineOf = (of: readonly UsageSeries[]) => ({
    total: of.reduce((sum, { total }) => add(sum, total), NOTHING),
    points: pointsOf(of, times),
  });
  const lines: UsageLine[] = drawn.map((series) => ({ series, ...lineOf([series]) }));
  if (rest.length > 0) lines.push({ series: undefined, ...lineOf(rest) });
  const last = times.at(-1) ?? Date.parse(usage.from);
  return { times, lines, timeZone, step, endMs: endOf(step, timeZone, last) };
}

/** Starts of all points of a time range; `fromMs` is one. */
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

/** Adds each point to the last time at or before it: a day to its month. */
function pointsOf(series: readonly UsageSeries[], times: readonly number[]): UsageCount[] {
  const points = times.map(() => NOTHING);
  for (const { points: own } of series) {
    let index = 0;
    for (const point of own) {
      const atMs = Date.parse(point.at);
      while (index + 1 < times.length && (times[index + 1] as number) <= atMs) index++;
      points[index] = add(points[index] ?? NOTHING, point);
    }
  }
  return points;
}

const add = (a: UsageCount, b: UsageCount): UsageCount => ({
  count: a.count + b.count,
  denied: a.denied + b.denied,
  degraded: a.degraded + b.degraded,
  units: a.units + b.units,
});

const EMPTY_SERIES: UsageSeries = {
  ...{ apiKey: null, operation: null, limitName: null, outcome: null },
  ...{ total: NOTHING, points: [] },
};

/** The point with the highest sum of all lines; undefined if all are zero. */
export function peakOf({ times, lines }: UsageLines, view: UsageView) {
  let peak: { atMs: number; value: number } | undefined;
  times.forEach((atMs, index) => {
    const value = lines.reduce((sum, { points }) => {
      const point = points[index];
      return point ? sum + amountOf(view, point) : sum;
    }, 0);
    if (value > (peak?.value ?? 0)) peak = { atMs, value };
  });
  return peak;
}

/** Values that a counter is split by. */
export type CounterSubject =
  | { kind: 'tenant' }
  | { kind: 'overflow' }
  /** Values of the limit's dimensions, in their order: undefined where only a hash is kept, null where none was sent. */
  | { kind: 'values'; values: readonly (string | undefined | null)[] };

/** Parses the subject from a counter's name, `{acme}:l1:auth:login-ip~203.0.113.9`. */
export function counterSubject(counter: string): CounterSubject {
  const [, marks = ''] = /^\{[^}]*\}[^=~#^?]*(.*)$/.exec(counter) ?? [];
  if (marks === '') return { kind: 'tenant' };
  if (marks === '^') return { kind: 'overflow' };
  const values = (marks.match(/[?]|[=~#][^=~#^?]*/g) ?? []).map((text) => {
    if (text === '?') return null;
    return text.startsWith('#') ? undefined : text.slice(1);
  });
  return { kind: 'values', values };
}
