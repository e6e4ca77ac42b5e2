import { queryOptions } from '@tanstack/react-query';
import { spanInWords } from '@tollgate/contracts/limit-title';
import type { LimitHistoryQuery } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';
import { fieldQuery } from './graphql-request.js';
import { formatNumber } from './number-format.js';

const DAY_MS = 86_400_000;

const LimitHistoryDocument = graphql(`
  query LimitHistory($tenantKey: String!) {
    limitHistory(tenantKey: $tenantKey) {
      apiKey limitName measure windowMs days { at used denied } steps { at limit lasting }
    }
  }
`);

export type LimitHistory = NonNullable<LimitHistoryQuery['limitHistory']>[number];

/** The last 30 days of a tenant's limits, except those counted per user, address or connection. */
export const limitHistoryQuery = (tenantKey: string) =>
  queryOptions({
    ...fieldQuery(['limit-history', tenantKey], LimitHistoryDocument, { tenantKey }),
    refetchInterval: 60_000,
  });

/** The entry of one limit; undefined without one. */
export const ofLimit = <T extends { apiKey: string; limitName: string }>(
  all: readonly T[] | null | undefined,
  { api, name }: { api: string; name: string },
): T | undefined => all?.find(({ apiKey, limitName }) => apiKey === api && limitName === name);

const MEASURE_TEXT: Readonly<Record<LimitHistory['measure'], string>> = {
  BUSIEST_MINUTE: 'Busiest minute per day',
  BUSIEST_HOUR: 'Busiest hour per day',
  DAY: 'Used per day',
  PERIOD: 'Used in the period',
};

const MEASURE_MS: Readonly<Partial<Record<LimitHistory['measure'], number>>> = {
  BUSIEST_MINUTE: 60_000,
  BUSIEST_HOUR: 3_600_000,
};

/** What the values of days are: `Busiest minute per day`, `Busiest minute per day, per second`. */
export function measureText({ measure, windowMs }: Pick<LimitHistory, 'measure' | 'windowMs'>): string {
  const isScaled = windowMs != null && MEASURE_MS[measure] !== undefined && windowMs !== MEASURE_MS[measure];
  return `${MEASURE_TEXT[measure]}${isScaled ? `, per ${spanInWords(windowMs)}` : ''}`;
}

/** Days on which the limit denied requests. */
export const limitedDays = ({ days }: LimitHistory): number => days.filter(({ denied }) => denied > 0).length;

/** The busiest of the last 30 days, the newest one of several; undefined without usage. */
export function peakOf({ days }: Pick<LimitHistory, 'days'>): LimitHistory['days'][number] | undefined {
  const most = Math.max(0, ...days.map(({ used }) => used));
  return most === 0 ? undefined : days.findLast(({ used }) => used === most);
}

/** A number in the span of the limit: `162 per minute`, `61 in one period`. */
export const inSpan = (units: number, { windowMs }: Pick<LimitHistory, 'windowMs'>): string =>
  `${formatNumber(units)} ${windowMs == null ? 'in one period' : `per ${spanInWords(windowMs)}`}`;

/** 25 % more than the peak, rounded up to two digits; twice the limit if that is not more than the limit. */
export function suggestLimit(current: number, peak: number | undefined): number {
  if (peak === undefined || peak * 1.25 <= current) return current * 2;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(peak * 1.25)) - 1);
  return Math.ceil((peak * 1.25) / step) * step;
}

/** The limit at the end of a day; the first known one before that. */
export function limitOn(steps: LimitHistory['steps'], day: string): number {
  const endMs = Date.parse(day) + DAY_MS - 1;
  return (steps.findLast(({ at }) => Date.parse(at) <= endMs) ?? steps[0])?.limit ?? 0;
}

/** Days of the last 30 on which requests exceeded a limit, and would have exceeded another one. */
export interface Estimate {
  now: number;
  after: number;
  /** Whether a boost applied on one of the days; it is not counted. */
  boosted: boolean;
}

/** What was requested on a day, denied requests included. Quotas record only what they allowed. */
const requestedOn = ({ measure }: LimitHistory, { used, denied }: LimitHistory['days'][number]): number =>
  measure === 'PERIOD' ? used + denied : used;

/**
 * Compares each day with the limits that would apply without boosts. A day with denied requests stays limited unless the
 * limit is higher than it was on that day.
 */
export function estimateDays(history: LimitHistory, before: number, after: number): Estimate {
  const daysOver = (limit: number) =>
    history.days.filter((day) => {
      const isDenied = day.denied > 0 && limit <= limitOn(history.steps, day.at);
      return isDenied || requestedOn(history, day) > limit;
    }).length;
  return {
    now: daysOver(before),
    after: daysOver(after),
    boosted: history.steps.some(({ limit, lasting }) => limit !== lasting),
  };
}
