import type { QuotaPeriod } from '@tollgate/contracts';
import { Generations } from '@tollgate/contracts/maps';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Larger than any UTC offset in history. */
const MAX_OFFSET_MS = 16 * HOUR_MS;

/** Bounded, because a formatter takes about 50 kB and a zone has many spellings. */
const formatters = new Generations<Intl.DateTimeFormat>(50);

/** Recently computed periods: computing one takes 100 µs, and at the start of a day all tenants need the same few. */
const periods = new Generations<Period>(500);

/** A period and the next one; each end is the start of the next. Unix ms. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
  readonly nextEndMs: number;
}

export function isTimeZone(timeZone: string): boolean {
  try {
    formatterOf(timeZone);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The zone, or UTC if it is unknown: that must not stop a tenant's decisions. */
export function knownTimeZone(timeZone: string): string {
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}

/**
 * The period that contains `nowMs`. A day starts at its first moment in the zone: if the clocks skip midnight, at the
 * change; if they repeat it, the first time. A date that a zone skipped starts no period.
 * @param anchorDay day of the month on which a billing period starts, 1–31; the last day in shorter months
 * @throws RangeError for an unknown zone
 */
export function periodAt(kind: QuotaPeriod, timeZone: string, anchorDay: number, nowMs: number): Period {
  const name = `${kind} ${anchorDay} ${timeZone}`;
  const known = periods.get(name);
  if (known !== undefined && nowMs >= known.startMs && nowMs < known.endMs) return known;
  const period = computePeriod(kind, timeZone, anchorDay, nowMs);
  periods.set(name, period);
  return period;
}

/** Start of the hour in the zone, Unix ms; half-hour offsets have offset hours. @throws RangeError for an unknown zone */
export function startOfHour(timeZone: string, nowMs: number): number {
  return nowMs - modulo(nowMs + offsetMs(timeZone, nowMs), HOUR_MS);
}

function computePeriod(kind: QuotaPeriod, timeZone: string, anchorDay: number, nowMs: number): Period {
  const localMs = nowMs + offsetMs(timeZone, nowMs);
  const today = localMs - modulo(localMs, DAY_MS);
  let startMs = nowMs;
  const laterMs: number[] = [];
  for (let step = 0; laterMs.length < 2; step++) {
    const atMs = startOfDay(timeZone, firstDay(kind, anchorDay, today, step));
    // Clocks set back over midnight show yesterday's date again, but the period has started.
    if (atMs <= nowMs) startMs = atMs;
    else if (atMs > (laterMs[0] ?? nowMs)) laterMs.push(atMs);
  }
  const [endMs = nowMs, nextEndMs = nowMs] = laterMs;
  return { startMs, endMs, nextEndMs };
}

/** First day of the period that contains `day`, or of the `step`-th period after it. Days are midnight UTC, ms. */
function firstDay(kind: QuotaPeriod, anchorDay: number, day: number, step: number): number {
  const date = new Date(day);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  switch (kind) {
    case 'day':
      return day + step * DAY_MS;
    case 'week':
      return day + (step * 7 - ((date.getUTCDay() + 6) % 7)) * DAY_MS;
    case 'month':
      return Date.UTC(year, month + step, 1);
    case 'billing': {
      const begun = day >= anchored(year, month, anchorDay);
      return anchored(year, month + step - (begun ? 0 : 1), anchorDay);
    }
  }
}

function anchored(year: number, month: number, anchorDay: number): number {
  return Math.min(Date.UTC(year, month, anchorDay), Date.UTC(year, month + 1, 0));
}

/** The first moment at which the zone's date is `day` or later. */
function startOfDay(timeZone: string, day: number): number {
  let fromMs = day - MAX_OFFSET_MS;
  for (;;) {
    const offset = offsetMs(timeZone, fromMs);
    const midnightMs = Math.max(fromMs, day - offset);
    if (offsetMs(timeZone, midnightMs) === offset) return midnightMs;
    fromMs = firstChange(timeZone, fromMs, midnightMs);
    if (fromMs + offsetMs(timeZone, fromMs) >= day) return fromMs;
  }
}

/** The moment at which the zone's offset changes. */
function firstChange(timeZone: string, fromMs: number, toMs: number): number {
  const offset = offsetMs(timeZone, fromMs);
  let beforeMs = fromMs;
  let afterMs = toMs;
  while (afterMs - beforeMs > 1) {
    const middleMs = Math.floor((beforeMs + afterMs) / 2);
    if (offsetMs(timeZone, middleMs) === offset) beforeMs = middleMs;
    else afterMs = middleMs;
  }
  return afterMs;
}

function offsetMs(timeZone: string, atMs: number): number {
  const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of formatterOf(timeZone).formatToParts(atMs)) {
    if (type in shown) shown[type as keyof typeof shown] = Number(value);
  }
  const { year, month, day, hour, minute, second } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - (atMs - modulo(atMs, 1000));
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
