import type { RetentionSettings } from '../../../../config/app-config.js';
import type { UsageInterval } from '../query/usage.graphql.js';

const DAY_MS = 86_400_000;

/** Crossed thresholds. */
export const CROSSINGS_MS = 30 * DAY_MS;

/** Offenders name subjects: no longer than it takes to look into something. */
export const OFFENDERS_MS = 7 * DAY_MS;

/** Offenders of one tenant and hour that are kept once the hour is over. */
export const OFFENDERS_PER_HOUR = 100;

/** What is known of a process that tells nothing any more, and entries that could not be used. */
export const TRACES_MS = 30 * DAY_MS;

/** Entries that could not be used, of all streams. */
export const MAX_REJECTS = 1000;

/** Checkpoints after the end of their period: clocks differ. */
export const CHECKPOINTS_MS = DAY_MS;

/** Since when usage is kept at this interval. */
export function keptSince(settings: RetentionSettings, interval: UsageInterval, now: Date): Date {
  const { minuteMs, hourMs, dayMs } = settings;
  const kept: Record<UsageInterval, number> = { MINUTE: minuteMs, HOUR: hourMs, DAY: dayMs };
  return new Date(now.getTime() - kept[interval]);
}
