import type { UsageStep } from './usage-view.js';

const formats = new Map<string, Intl.DateTimeFormat>();

const PATTERNS = {
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
  moment: {
    ...{ weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  },
  month: { month: 'short', year: 'numeric' },
  exact: {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimePattern = keyof typeof PATTERNS;

/** A moment by the clock of a zone; `exact` is `2026-11-22 14:00:00`. */
export function formatAt(atMs: number, timeZone: string, pattern: TimePattern): string {
  const key = `${timeZone} ${pattern}`;
  let format = formats.get(key);
  if (format === undefined) {
    const locale = pattern === 'exact' ? 'sv-SE' : 'en-GB';
    format = new Intl.DateTimeFormat(locale, { ...PATTERNS[pattern], timeZone });
    formats.set(key, format);
  }
  return format.format(atMs).replaceAll(',', '');
}

const OF_STEP: Readonly<Record<UsageStep, TimePattern>> = {
  minute: 'moment',
  hour: 'moment',
  day: 'weekday',
  month: 'month',
};

/** When a point is, as exact as its step: `Sat 21 Nov 14:00`, `Sat 21 Nov`, `Nov 2026`. */
export const formatPoint = (atMs: number, timeZone: string, step: UsageStep): string =>
  formatAt(atMs, timeZone, OF_STEP[step]);
