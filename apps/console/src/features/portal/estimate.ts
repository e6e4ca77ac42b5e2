import type { LimitHistory } from './api.js';

const DAY_MS = 86_400_000;

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
