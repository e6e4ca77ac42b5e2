import type { UsageOutcome } from '../../generated/graphql.js';
import type { UsageCount, UsageSeries } from './api/usage.js';
import type { UsageLines } from './usage-lines.js';
import type { UsageStep, UsageView } from './usage-view.js';

/** One line of a chart. */
export interface FigureSeries {
  name: string;
  /** Name of a colour in the document's styles. */
  color: string;
  values: number[];
}

/** What a chart draws. Refusals stand on what was allowed where nothing else is told apart. */
export interface UsageFigure {
  times: number[];
  endMs: number;
  timeZone: string;
  step: UsageStep;
  series: FigureSeries[];
  /** The first series lies on the second. */
  stacked: boolean;
  bars: boolean;
}

/** More bars than this are no bars any more. */
const MOST_BARS = 180;

const COLORS = [1, 2, 3, 4, 5, 6].map((number) => `--tg-series-${number}`);

const OUTCOME_COLORS: Readonly<Record<UsageOutcome, string>> = {
  ALLOWED: '--tg-allowed',
  REFUSED: '--tg-refused',
  OVER_LIMIT: '--tg-series-4',
  SHADOW_REFUSED: '--tg-series-3',
  POOL_REFUSED: '--tg-series-5',
  NO_LIMIT: '--tg-series-2',
  DEGRADED_ALLOWED: '--tg-series-6',
  DEGRADED_REFUSED: '--tg-series-rest',
};

export interface FigureTexts {
  allowed: string;
  refused: string;
  units: string;
  /** What a series is called; undefined: the rest. */
  nameOf: (series: UsageSeries | undefined) => string;
}

/** What of a count the view shows. */
export const amountOf = (view: UsageView, { count, units }: UsageCount): number =>
  view.unit === 'units' ? units : count;

/** Lines as a view wants them drawn. */
export function figureOf(lines: UsageLines, view: UsageView, texts: FigureTexts): UsageFigure {
  const { times, endMs, timeZone, step } = lines;
  const common = { times, endMs, timeZone, step };
  if (view.by) {
    const series = lines.lines.map(({ series: of, points }, index) => ({
      name: texts.nameOf(of),
      color: colorOf(of, index),
      values: points.map((point) => amountOf(view, point)),
    }));
    return { ...common, series, stacked: false, bars: false };
  }
  const points = lines.lines[0]?.points ?? [];
  const bars = times.length <= MOST_BARS;
  if (view.unit === 'units') {
    const units = { name: texts.units, color: '--tg-series-1', values: points.map((point) => point.units) };
    return { ...common, series: [units], stacked: false, bars };
  }
  const series = [
    { name: texts.refused, color: '--tg-refused', values: points.map(({ refused }) => refused) },
    {
      name: texts.allowed,
      color: '--tg-allowed',
      values: points.map(({ count, refused }) => count - refused),
    },
  ];
  return { ...common, series, stacked: true, bars };
}

function colorOf(series: UsageSeries | undefined, index: number): string {
  if (series === undefined) return '--tg-series-rest';
  if (series.outcome) return OUTCOME_COLORS[series.outcome];
  return COLORS[index] ?? '--tg-series-rest';
}
