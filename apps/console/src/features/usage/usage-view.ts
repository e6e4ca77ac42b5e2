import { wordsOfName } from '@tollgate/contracts/limit-title';
import type { LimitTitleOf } from '../../lib/customer-page.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Lengths of a point of a chart. */
export const USAGE_STEPS = ['minute', 'hour', 'day', 'month'] as const;
export type UsageStep = (typeof USAGE_STEPS)[number];

/** Time ranges that end now. */
export const USAGE_RANGES = ['1h', '24h', '7d', '30d', '12mo'] as const;
export type UsageRangeName = (typeof USAGE_RANGES)[number];

export const USAGE_GROUPS = ['api', 'operation', 'limit', 'outcome'] as const;
export type UsageGroupName = (typeof USAGE_GROUPS)[number];

/** The view of a usage chart; stored in the page's address, so that it can be shared. */
export interface UsageView {
  /** Ends now; defaults to 24h. */
  range?: UsageRangeName;
  /** Custom range as ISO times; both or none. Overrides `range`. */
  from?: string;
  to?: string;
  /** Defaults to the interval that fits the range. */
  step?: UsageStep;
  by?: UsageGroupName;
  /** Filter by one API, one of its operations or one of its limits. */
  api?: string;
  operation?: string;
  limit?: string;
  /** Cost instead of decisions. */
  unit?: 'units';
}

const RANGE_MS: Readonly<Record<UsageRangeName, number>> = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '12mo': 365 * DAY_MS,
};

/** Limits of each interval: the maximum range per request, and the minimum sensible range. */
const STEP_BOUNDS: Readonly<Record<UsageStep, { leastMs: number; mostMs: number }>> = {
  minute: { leastMs: 0, mostMs: DAY_MS },
  hour: { leastMs: 2 * HOUR_MS, mostMs: 62 * DAY_MS },
  day: { leastMs: 2 * DAY_MS, mostMs: 1_100 * DAY_MS },
  month: { leastMs: 60 * DAY_MS, mostMs: 1_100 * DAY_MS },
};

const upper = <S extends string>(word: S) => word.toUpperCase() as Uppercase<S>;

/** The time range of a view, Unix ms. */
export function spanOf(view: UsageView, nowMs: number): { fromMs: number; toMs: number } {
  if (view.from && view.to) return { fromMs: Date.parse(view.from), toMs: Date.parse(view.to) };
  return { fromMs: nowMs - RANGE_MS[view.range ?? '24h'], toMs: nowMs };
}

/** Steps that fit the time range, finest first. */
export function stepsFor(view: UsageView): UsageStep[] {
  const { fromMs, toMs } = spanOf(view, 0);
  const steps = USAGE_STEPS.filter((step) => {
    const { leastMs, mostMs } = STEP_BOUNDS[step];
    return toMs - fromMs >= leastMs && toMs - fromMs <= mostMs;
  });
  return steps.length === 0 ? ['day'] : steps;
}

/** The selected step if it fits, else one with 10 to 170 points. */
export function stepOf(view: UsageView): UsageStep {
  const fitting = stepsFor(view);
  if (view.step && fitting.includes(view.step)) return view.step;
  const { fromMs, toMs } = spanOf(view, 0);
  const lengthMs = toMs - fromMs;
  if (lengthMs <= 2 * HOUR_MS) return 'minute';
  if (lengthMs <= 7 * DAY_MS) return 'hour';
  return lengthMs <= 92 * DAY_MS ? 'day' : 'month';
}

/** The filters of a view, by key or in words. */
export function filtersOf({ api, operation, limit }: UsageView, titleOf?: LimitTitleOf) {
  const named = (key: string) => (titleOf ? wordsOfName(key) : key);
  const limitTitle = limit && (titleOf?.(api ?? '', limit) ?? limit);
  return [
    ...(api ? [{ key: 'api', label: `API ${named(api)}` } as const] : []),
    ...(operation ? [{ key: 'operation', label: `operation ${named(operation)}` } as const] : []),
    ...(limit ? [{ key: 'limit', label: `decided by ${limitTitle}` } as const] : []),
  ];
}

export function questionOf(view: UsageView, nowMs: number) {
  const { fromMs, toMs } = spanOf(view, nowMs);
  const step = stepOf(view);
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    // A month is made of days.
    interval: upper(step === 'month' ? 'day' : step),
    groupBy: view.by ? [upper(view.by)] : [],
  };
}

/** Zooms to a part of at least ten minutes and selects the interval again. */
export function zoomTo<V extends UsageView>(view: V, fromMs: number, toMs: number): V {
  const missingMs = Math.max(0, 10 * MINUTE_MS - (toMs - fromMs));
  return {
    ...without(view, 'range', 'step'),
    from: new Date(fromMs - missingMs).toISOString(),
    to: new Date(toMs).toISOString(),
  };
}

export function withRange<V extends UsageView>(view: V, range: UsageRangeName): V {
  return { ...without(view, 'from', 'to', 'step'), range };
}

function without<V extends UsageView>(view: V, ...names: (keyof UsageView)[]): V {
  const kept = Object.entries(view).filter(([name]) => !names.includes(name as keyof UsageView));
  return Object.fromEntries(kept) as V;
}

/** Parses a view from an address; drops unknown or malformed values. */
export function parseUsageView(raw: Record<string, unknown>): UsageView {
  const text = (name: string) => (typeof raw[name] === 'string' && raw[name] !== '' ? raw[name] : undefined);
  const oneOf = <T extends string>(name: string, known: readonly T[]) =>
    known.find((value) => value === raw[name]);
  const [from, to] = [text('from'), text('to')];
  const isSpan = from !== undefined && to !== undefined && Date.parse(from) < Date.parse(to);
  return definedOf({
    range: oneOf('range', USAGE_RANGES),
    from: isSpan ? from : undefined,
    to: isSpan ? to : undefined,
    step: oneOf('step', USAGE_STEPS),
    by: oneOf('by', USAGE_GROUPS),
    api: text('api'),
    operation: text('operation'),
    limit: text('limit'),
    unit: oneOf('unit', ['units'] as const),
  });
}

/** The view of Home's chart, stored in its address. */
export interface TrafficView extends Pick<UsageView, 'range' | 'from' | 'to'> {
  /** Hides the period before. */
  compare?: 'off';
}

export const TRAFFIC_RANGES = ['1h', '24h', '7d', '30d'] as const;

export function parseTrafficView(raw: Record<string, unknown>): TrafficView {
  const { from, to, range } = parseUsageView(raw);
  return definedOf({
    range: TRAFFIC_RANGES.find((name) => name === range),
    from,
    to,
    compare: raw.compare === 'off' ? ('off' as const) : undefined,
  });
}

function definedOf<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
