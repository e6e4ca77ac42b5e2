import { periodAt, startOfHour } from '@tollgate/decision-plane/internals';
import { badInput } from '../../../../platform/errors/api-error.js';
import { UsageInterval } from './usage.graphql.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far one question may reach, so that an answer has about 1,500 points a series at most; what to ask instead. */
const LONGEST: Record<UsageInterval, { ms: number; text: string }> = {
  MINUTE: { ms: DAY_MS, text: '24 hours by MINUTE; ask by HOUR, or for less' },
  HOUR: { ms: 62 * DAY_MS, text: '62 days by HOUR; ask by DAY, or for less' },
  DAY: { ms: 1100 * DAY_MS, text: '1,100 days by DAY; ask for less' },
};

/** Longest stretch over which tenants are compared. */
const LONGEST_TOP_MS = 92 * DAY_MS;

/** A stretch of time, its beginning that of a point. */
export interface UsageRange {
  from: Date;
  to: Date;
}

/**
 * The stretch that is asked for, from the beginning of the point that `from` lies in by the clock of the zone.
 * @throws ApiError BAD_USER_INPUT where it is empty, or longer than one answer may be
 */
export function parseRange(
  asked: { from: Date; to?: Date | null | undefined },
  interval: UsageInterval,
  timeZone: string,
  now: Date,
): UsageRange {
  const to = asked.to ?? now;
  if (asked.from >= to) throw badInput('from must be before to');
  const { ms, text } = LONGEST[interval];
  if (to.getTime() - asked.from.getTime() > ms) throw badInput(`One question reaches over at most ${text}.`);
  return { from: new Date(startOf(interval, timeZone, asked.from.getTime())), to };
}

/** Over how long tenants are compared, and whether by hours or by days. @throws ApiError BAD_USER_INPUT as above */
export function parseTopRange(
  asked: { from: Date; to?: Date | null | undefined },
  now: Date,
): UsageRange & { interval: UsageInterval } {
  const to = asked.to ?? now;
  if (asked.from >= to) throw badInput('from must be before to');
  const lengthMs = to.getTime() - asked.from.getTime();
  if (lengthMs > LONGEST_TOP_MS) throw badInput('Tenants are compared over at most 92 days; ask for less.');
  const interval = lengthMs > 3 * DAY_MS ? UsageInterval.DAY : UsageInterval.HOUR;
  // In UTC: the hours and days of tenants are of many zones, and belong to the stretch by when they began.
  return { interval, from: new Date(startOf(interval, 'UTC', asked.from.getTime())), to };
}

function startOf(interval: UsageInterval, timeZone: string, atMs: number): number {
  switch (interval) {
    case UsageInterval.MINUTE:
      return atMs - (atMs % MINUTE_MS);
    case UsageInterval.HOUR:
      return startOfHour(timeZone, atMs);
    case UsageInterval.DAY:
      return periodAt('day', timeZone, 1, atMs).startMs;
  }
}
