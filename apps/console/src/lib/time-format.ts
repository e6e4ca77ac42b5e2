import { formatMomentInZone } from '@tollgate/contracts/format';
import dayjs from 'dayjs';
import relativeTime from 'dayjs/plugin/relativeTime';
import timezone from 'dayjs/plugin/timezone';
import utc from 'dayjs/plugin/utc';
import { useEffect, useState } from 'react';

dayjs.extend(relativeTime);
dayjs.extend(utc);
dayjs.extend(timezone);

export { formatMomentInZone };

export const readersZone = (): string => dayjs.tz.guess();

/** `3 minutes ago`. */
export const formatAgo = (at: string): string => dayjs(at).fromNow();

/** In the reader's zone: `20 Nov 2026, 14:03 Europe/Berlin`. */
export const formatMoment = (at: string): string => formatMomentInZone(at, readersZone());

/** Time of day in the reader's zone: `14:03`. */
export const formatClock = (at: string): string => dayjs(at).format('HH:mm');

/** Time of day in a zone: `14:03:07`. */
export const formatSecondInZone = (at: string, timeZone: string): string =>
  dayjs(at).tz(timeZone).format('HH:mm:ss');

/** In the reader's zone: `20 Nov 2026`. */
export const formatDay = (at: string): string => dayjs(at).format('D MMM YYYY');

/** `Fri 00:00`: a time near enough without its date. */
export function formatNear(at: string, timeZone: string): string {
  const moment = dayjs(at).tz(timeZone);
  const hoursLeft = moment.diff(dayjs(), 'hour', true);
  const pattern = hoursLeft < 1 ? 'ddd HH:mm:ss' : hoursLeft < 6 * 24 ? 'ddd HH:mm' : 'D MMM YYYY HH:mm';
  return moment.format(pattern);
}

/** `Fri 00:00 Europe/Berlin`. */
export const formatInZone = (at: string, timeZone: string): string =>
  `${formatNear(at, timeZone)} ${timeZone}`;

/** `30 Nov`, with the year unless it is the current one. */
export function formatDayInZone(at: string, timeZone: string): string {
  const day = dayjs(at).tz(timeZone);
  return day.format(day.year() === dayjs().tz(timeZone).year() ? 'D MMM' : 'D MMM YYYY');
}

/** `Sat 21 Nov 2026, 14:03:07 Europe/Berlin`. */
export const formatInstant = (at: string, timeZone: string): string =>
  `${dayjs(at).tz(timeZone).format('ddd D MMM YYYY, HH:mm:ss')} ${timeZone}`;

/** Time left in the two largest units: `3 h 12 min`, `42 s`; `now` at zero or below. */
export function formatTimeLeft(ms: number): string {
  if (ms <= 0) return 'now';
  const seconds = Math.ceil(ms / 1_000);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600)];
  const [minutes, rest] = [Math.floor((seconds % 3_600) / 60), seconds % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}

export type CalendarStep = 'day' | 'month';

interface CivilDay {
  year: number;
  /** From 1. */
  month: number;
  day: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Start of the day or month of a moment in the zone, Unix ms. */
export function startOfStep(step: CalendarStep, timeZone: string, atMs: number): number {
  const { year, month, day } = civilDayOf(timeZone, atMs);
  return startOfCivilDay(timeZone, { year, month, day: step === 'month' ? 1 : day });
}

/** Start of the next day or month in the zone, Unix ms: 23 to 25 hours or 28 to 31 days later. */
export function nextStep(step: CalendarStep, timeZone: string, startMs: number): number {
  const { year, month, day } = civilDayOf(timeZone, startMs);
  return startOfCivilDay(
    timeZone,
    step === 'month' ? { year, month: month + 1, day: 1 } : { year, month, day: day + 1 },
  );
}

/** Midnight, or the first moment of a day whose midnight a clock change skips. */
function startOfCivilDay(timeZone: string, { year, month, day }: CivilDay): number {
  const asUtc = Date.UTC(year, month - 1, day);
  const first = asUtc - offsetMs(timeZone, asUtc);
  const start = asUtc - offsetMs(timeZone, first);
  // At a gap the two guesses lie on both sides of it: the later one is the first moment of the day.
  return civilDayOf(timeZone, start).day === civilDayOf('UTC', asUtc).day ? start : Math.max(first, start);
}

function offsetMs(timeZone: string, atMs: number): number {
  const parts = partsOf(timeZone, atMs);
  const clock = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  return clock - Math.floor(atMs / 1_000) * 1_000;
}

function civilDayOf(timeZone: string, atMs: number): CivilDay {
  const { year, month, day } = partsOf(timeZone, atMs);
  return { year, month, day };
}

function partsOf(timeZone: string, atMs: number) {
  let format = formats.get(timeZone);
  if (format === undefined) {
    const numeric = 'numeric';
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23' },
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    });
    formats.set(timeZone, format);
  }
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of format.formatToParts(atMs)) {
    if (type in parts) parts[type as keyof typeof parts] = Number(value);
  }
  return parts;
}

const SECOND_MS = 1_000;

/** The current time in Unix ms, updated every `everyMs`. */
export function useNow(everyMs = SECOND_MS): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
