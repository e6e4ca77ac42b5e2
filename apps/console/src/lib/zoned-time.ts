/** Steps of a calendar, by the clock of a zone. */
export type CalendarStep = 'day' | 'month';

interface CivilDay {
  year: number;
  /** From 1. */
  month: number;
  day: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** When the day or month that a moment lies in began by the clock of the zone, unix ms. */
export function startOfStep(step: CalendarStep, timeZone: string, atMs: number): number {
  const { year, month, day } = civilDayOf(timeZone, atMs);
  return startOfCivilDay(timeZone, { year, month, day: step === 'month' ? 1 : day });
}

/** When the next day or month begins by the clock of the zone, unix ms: 23 to 25 hours, or 28 to 31 days later. */
export function nextStep(step: CalendarStep, timeZone: string, startMs: number): number {
  const { year, month, day } = civilDayOf(timeZone, startMs);
  return startOfCivilDay(
    timeZone,
    step === 'month' ? { year, month: month + 1, day: 1 } : { year, month, day: day + 1 },
  );
}

/** Midnight; where a change of clocks leaves a day without one, its first moment. */
function startOfCivilDay(timeZone: string, { year, month, day }: CivilDay): number {
  const asUtc = Date.UTC(year, month - 1, day);
  const first = asUtc - offsetMs(timeZone, asUtc);
  const start = asUtc - offsetMs(timeZone, first);
  // At a gap the two guesses lie on both sides of it: the later one is the first moment of the day.
  return civilDayOf(timeZone, start).day === civilDayOf('UTC', asUtc).day ? start : Math.max(first, start);
}

/** How far the zone's clock is ahead of UTC at a moment. */
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
