import { isClientAddress } from './client-address.js';

/** What a replay takes from one line of an access log. */
export interface AccessLogEntry {
  /** Client address. */
  ip: string;
  /** When the request was received, unix ms; logs tell whole seconds. */
  atMs: number;
  /** Request target as sent: path with query, or a whole URL. */
  target: string;
}

export type ParsedLine = { ok: true; entry: AccessLogEntry } | { ok: false; problem: string };

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const LINE = new RegExp(
  String.raw`^(?<client>\S+) \S+ [^"[\]]+ \[(?<time>[^\]]{1,40})\] "(?<request>(?:[^"\\]|\\.)*)" \d{3} (?:\d+|-)` +
    `(?: ${QUOTED} ${QUOTED}(?: .*)?)?$`,
  's',
);
const METHOD = /^[A-Za-z][A-Za-z-]* +/;
const PROTOCOL = /^HTTP\/\d(?:\.\d)?$/;
const TIME =
  /^(?<day>\d{2})\/(?<month>[A-Za-z]{3})\/(?<year>\d{4}):(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2}) (?<sign>[+-])(?<zoneHours>\d{2})(?<zoneMinutes>\d{2})$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Reads one line in Apache's combined format, `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i"`; the common
 * format (without the last two) and fields added behind are accepted too. Never throws: `problem` says what is wrong.
 */
export function parseAccessLogLine(line: string): ParsedLine {
  const fields = LINE.exec(line)?.groups;
  if (fields === undefined) return { ok: false, problem: 'not in Apache combined format' };
  const { client = '', time = '', request = '' } = fields;
  if (!isClientAddress(client)) return { ok: false, problem: 'the client is no IP address' };
  const atMs = parseTime(time);
  if (atMs === undefined) return { ok: false, problem: 'the time cannot be read' };
  const target = targetOf(request);
  if (target === undefined) return { ok: false, problem: 'it holds no HTTP request' };
  return { ok: true, entry: { ip: client, atMs, target } };
}

/** What a request line asks for; undefined where it is none. */
function targetOf(request: string): string | undefined {
  const method = METHOD.exec(request)?.[0];
  if (method === undefined) return undefined;
  // By hand: an expression with the optional protocol at its end takes quadratic time on many spaces.
  const rest = request.slice(method.length).trimEnd();
  const end = rest.lastIndexOf(' ');
  const target = PROTOCOL.test(rest.slice(end + 1)) ? rest.slice(0, Math.max(0, end)).trimEnd() : rest;
  return target === '' ? undefined : target;
}

/** `17/May/2015:10:05:03 +0000` as unix ms; undefined when there is no such moment. */
function parseTime(text: string): number | undefined {
  const fields = TIME.exec(text)?.groups;
  if (fields === undefined) return undefined;
  const number = (name: string) => Number(fields[name]);
  const month = MONTHS.indexOf((fields.month ?? '').toLowerCase());
  const [day, year, hour, minute] = [number('day'), number('year'), number('hour'), number('minute')];
  const [second, zoneHours, zoneMinutes] = [number('second'), number('zoneHours'), number('zoneMinutes')];
  const midnightMs = Date.UTC(year, month, day);
  const isDate = month >= 0 && year >= 100 && new Date(midnightMs).getUTCDate() === day;
  // 60: a leap second is logged as such.
  const isTime = hour < 24 && minute < 60 && second <= 60 && zoneHours <= 14 && zoneMinutes < 60;
  if (!isDate || !isTime) return undefined;
  const zoneSign = fields.sign === '-' ? -1 : 1;
  const zoneMs = zoneSign * (zoneHours * 60 + zoneMinutes) * 60_000;
  return midnightMs + ((hour * 60 + minute) * 60 + second) * 1000 - zoneMs;
}
