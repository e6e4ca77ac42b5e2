import type { Traffic, UsageCount } from './api.js';
import { type FigureSeries, NOTHING, outcomeSeries, plotRange, type UsageFigure } from './usage-lines.js';
import type { TrafficView, UsageRangeName } from './usage-view.js';

const PERIODS: Partial<Record<UsageRangeName, string>> = {
  '1h': 'previous hour',
  '24h': 'previous day',
  '7d': 'previous 7 days',
  '30d': 'previous 30 days',
};

/** The period that a view is compared with, in words. */
export const previousPeriod = ({ from, range = '24h' }: TrafficView): string =>
  (from === undefined ? PERIODS[range] : undefined) ?? 'previous period';

const DAY_MS = 86_400_000;

/** The chart of all tenants' decisions, without gaps. */
export function trafficFigure(
  traffic: Traffic,
  timeZone: string,
  ghostName: string | undefined,
): UsageFigure {
  const { stepMs, total, previousTotal } = traffic;
  const [fromMs, toMs] = [Date.parse(traffic.from), Date.parse(traffic.to)];
  const times: number[] = [];
  for (let at = fromMs; at < toMs; at += stepMs) times.push(at);
  const points = fill(traffic.points, times.length, fromMs, stepMs);
  const before = fill(traffic.previousPoints, times.length, fromMs - times.length * stepMs, stepMs);
  const totals: Record<string, number> = {
    Denied: total.denied,
    Degraded: total.degraded,
    Allowed: total.count - total.denied - total.degraded,
  };
  return {
    times,
    endMs: fromMs + times.length * stepMs,
    timeZone,
    step: stepMs >= DAY_MS ? 'day' : 'minute',
    series: outcomeSeries(points).map(
      (series): FigureSeries => ({ ...series, total: totals[series.name] ?? 0 }),
    ),
    stacked: true,
    bars: true,
    lane: true,
    marks: traffic.publications.map(({ at }) => Date.parse(at)),
    ghost: ghostName === undefined ? undefined : ghostOf(ghostName, before, previousTotal),
  };
}

function fill(
  points: readonly (UsageCount & { at: string })[],
  length: number,
  fromMs: number,
  stepMs: number,
): UsageCount[] {
  const filled: UsageCount[] = Array.from({ length }, () => NOTHING);
  for (const point of points) filled[Math.round((Date.parse(point.at) - fromMs) / stepMs)] = point;
  return filled;
}

function ghostOf(name: string, points: readonly UsageCount[], { count }: UsageCount): FigureSeries {
  return { name, color: '--tg-text-soft', values: points.map((point) => point.count), total: count };
}

export type Publication = Traffic['publications'][number];

/** Publications whose labels would overlap, at their position from 0 to 1 in the plot area. */
export interface PublicationMark {
  position: number;
  publications: Publication[];
}

/** Labels closer than this share of the width are merged. */
const LABEL_WIDTH = 0.14;

export function publicationMarks(
  figure: UsageFigure,
  publications: readonly Publication[],
): PublicationMark[] {
  const [start, end] = plotRange(figure);
  const marks: PublicationMark[] = [];
  for (const publication of publications) {
    const position = (Date.parse(publication.at) - start) / (end - start);
    const last = marks.at(-1);
    if (last && position - last.position < LABEL_WIDTH) last.publications.push(publication);
    else marks.push({ position, publications: [publication] });
  }
  return marks;
}

/** Why an operator should look at the denials of a range. */
export interface DenialRise {
  /** Denials of the range over those of the period before; null: there were none. */
  factor: number | null;
  /** The publication after which the share of denials rose most; null: it did not double after any. */
  cause: Publication | null;
}

/** Fewer denials need no attention. */
const LEAST_DENIALS = 20;
const RISE = 2;
/** Points before and after a publication that are compared. */
const AROUND = 6;

/** Undefined unless the number and the share of denials have at least doubled. */
export function denialRise(traffic: Traffic): DenialRise | undefined {
  const { total, previousTotal, publications } = traffic;
  if (total.denied < LEAST_DENIALS || previousTotal.count === 0) return undefined;
  if (total.denied < RISE * previousTotal.denied || shareOf(total) < RISE * shareOf(previousTotal))
    return undefined;
  const rises = publications.map((publication) => {
    const atMs = Date.parse(publication.at);
    const between = (fromMs: number, toMs: number) =>
      shareOf(sumOf(traffic.points.filter(({ at }) => Date.parse(at) >= fromMs && Date.parse(at) < toMs)));
    const after = between(atMs, atMs + AROUND * traffic.stepMs);
    const before = between(atMs - AROUND * traffic.stepMs, atMs);
    return { publication, rise: after >= RISE * before ? after - before : 0 };
  });
  const [most] = rises.filter(({ rise }) => rise > 0).sort((a, b) => b.rise - a.rise);
  const factor = previousTotal.denied === 0 ? null : total.denied / previousTotal.denied;
  return { factor, cause: most?.publication ?? null };
}

const shareOf = ({ count, denied }: { count: number; denied: number }) => (count === 0 ? 0 : denied / count);

const sumOf = (points: readonly UsageCount[]) => ({
  count: points.reduce((sum, { count }) => sum + count, 0),
  denied: points.reduce((sum, { denied }) => sum + denied, 0),
});
