/** A time of a log in Unix µs, or why it cannot be read. */
export type LogTime = { ok: true; atUs: number } | { ok: false; problem: string };

/** Parts of a written time; `month` from 1. */
interface TimeParts {
  year?: string;
  month?: string | number;
  day?: string;
  hour?: string;
  minute?: string;
  second?: string;
  /** Digits after the second. */
  fraction?: string | undefined;
  /** `Z`, `+0530` or `+05:30`. */
  zone?: string | undefined;
}

const UNREADABLE: LogTime = { ok: false, problem: 'the time cannot be read' };
const IMPOSSIBLE: LogTime = { ok: false, problem: 'the time does not exist' };
const ZONELESS: LogTime = { ok: false, problem: 'the time has no time zone' };

const ISO =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[Tt ](?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?(?: ?(?<zone>[Zz]|[+-]\d{2}:?\d{2}))?$/;
const APACHE =
  /^(?<day>\d{2})\/(?<month>[A-Za-z]{3})\/(?<year>\d{4}):(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})(?: (?<zone>[+-]\d{4}))?$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Parses ISO 8601 with a time zone: `2026-11-01T10:05:03.250Z`. */
export function readIsoTime(text: string): LogTime {
  const parts = ISO.exec(text)?.groups;
  return parts === undefined ? UNREADABLE : instantOf(parts);
}

/** Parses Apache's `%t`: `17/May/2015:10:05:03 +0000`. */
export function readApacheTime(text: string): LogTime {
  const parts = APACHE.exec(text)?.groups;
  if (parts === undefined) return UNREADABLE;
  const month = MONTHS.indexOf((parts.month ?? '').toLowerCase()) + 1;
  return month === 0 ? UNREADABLE : instantOf({ ...parts, month });
}

const FROM_S = Date.UTC(2000, 0, 1) / 1000;
const TO_S = Date.UTC(2100, 0, 1) / 1000;
/** µs per unit of seconds, milliseconds, microseconds and nanoseconds. */
const UNITS_US = [1_000_000, 1_000, 1, 0.001];

/** Reads the unit from the magnitude, which is unambiguous: the years 2000 to 2099 in s, ms, µs and ns do not overlap. */
export function readUnixTime(value: number): LogTime {
  const unitUs = UNITS_US.find((us) => value * us >= FROM_S * 1e6 && value * us < TO_S * 1e6);
  if (unitUs === undefined)
    return { ok: false, problem: 'the time is not in s, ms, µs or ns of the years 2000 to 2099' };
  return { ok: true, atUs: Math.round(value * unitUs) };
}

/** A field of JSON: ISO 8601 or Unix time, also as a text. */
export function readJsonTime(value: string | number): LogTime {
  if (typeof value === 'number') return readUnixTime(value);
  return /^\d+(?:\.\d+)?$/.test(value) ? readUnixTime(Number(value)) : readIsoTime(value);
}

function instantOf({ month, fraction = '', zone, ...parts }: TimeParts): LogTime {
  if (zone === undefined) return ZONELESS;
  const { year, day, hour, minute, second } = parts;
  const midnightMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(midnightMs);
  const isDate = date.getUTCFullYear() === Number(year) && date.getUTCDate() === Number(day);
  // 60: a leap second is logged as such.
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
  const zoneHours = Number(zone.slice(1, 3));
  const zoneMinutes = Number(zone.slice(-2));
  const isUtc = /^z$/i.test(zone);
  if (!isDate || !isTime || (!isUtc && (zoneHours > 14 || zoneMinutes > 59))) return IMPOSSIBLE;
  const eastMinutes = isUtc ? 0 : (zone.startsWith('-') ? -1 : 1) * (zoneHours * 60 + zoneMinutes);
  const minutes = Number(hour) * 60 + Number(minute) - eastMinutes;
  const atMs = midnightMs + (minutes * 60 + Number(second)) * 1000;
  return { ok: true, atUs: atMs * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6)) };
}
