import type { LabelAmounts, QuotaPeriod, Rule } from '@tollgate/contracts';
import { isBlocking, OTHER_LABELS } from '@tollgate/contracts/limit-scope';
import { explainReadings, readTypedNumber, scaleDecimal } from '@tollgate/contracts/typed-number';

export interface Rate {
  limit: number;
  windowMs: number;
}

/** `readings` are texts to enter instead of one that can mean several numbers. */
export type Unread = { ok: false; message: string; readings?: readonly string[] };
export type Parsed<T> = { ok: true; value: T } | Unread;

const WINDOW_UNITS: ReadonlyArray<{ name: string; ms: number; spelled: readonly string[] }> = [
  { name: 'week', ms: 604_800_000, spelled: ['w', 'wk', 'week', 'weeks'] },
  { name: 'day', ms: 86_400_000, spelled: ['d', 'day', 'days'] },
  { name: 'h', ms: 3_600_000, spelled: ['h', 'hr', 'hrs', 'hour', 'hours'] },
  { name: 'min', ms: 60_000, spelled: ['m', 'min', 'mins', 'minute', 'minutes'] },
  { name: 's', ms: 1_000, spelled: ['s', 'sec', 'secs', 'second', 'seconds'] },
  { name: 'ms', ms: 1, spelled: ['ms', 'msec', 'millisecond', 'milliseconds'] },
];

const RATE_PATTERN =
  /^(.*?)\s*(?:\/|\bper\b|\bevery\b|\beach\b|\ban?\b|\bin\b)\s*(\d[^a-z/]*?)?\s*([a-z]+)$/i;
const SHORTHAND_PATTERN = /^(.*?)\s*rp([smhd])$/i;

/**
 * Parses a rate: `100/min`, `10k/h`, `5 per second`, `1,000 every 15 min`, `20 rps`. Error messages name the
 * expected format. Months and years are rejected: their length varies.
 */
export function parseRate(text: string): Parsed<Rate> {
  const typed = text.trim();
  if (typed === '') return fail('Enter a rate such as 100/min');
  const shorthand = SHORTHAND_PATTERN.exec(typed);
  const match = shorthand ? [typed, shorthand[1], undefined, shorthand[2]] : RATE_PATTERN.exec(typed);
  if (!match) return fail('Add a time unit, such as 100/min or 5 per second');
  const [, counted = '', times = '', unit = ''] = match;
  const count = parseCount(counted);
  if (!count.ok) return within(count, '', typed.slice(counted.length));
  const window = parseWindow(times, unit);
  if (!window.ok) {
    const at = typed.length - unit.length;
    return within(window, typed.slice(0, typed.lastIndexOf(times, at)), typed.slice(at));
  }
  return { ok: true, value: { limit: count.value, windowMs: window.value } };
}

/** Parses a whole number: `250`, `1,000`, `10k`, `1.5M`. Exact up to 2^53 - 1, rejected above. */
export function parseCount(text: string): Parsed<number> {
  if (text.trim() === '') return fail('Enter a number such as 250, 1,000 or 10k');
  const read = readTypedNumber(text, { suffixes: true });
  if (!read.ok)
    return unread(
      text,
      read.readings,
      `“${text.trim()}” is not a number; enter one such as 250, 1,000 or 10k`,
    );
  const whole = scaleDecimal(read.decimal, 0);
  if (whole === undefined)
    return fail('Use a whole number; for less than one per second, enter 30/min instead of 0.5/s');
  if (whole > BigInt(Number.MAX_SAFE_INTEGER)) return fail('Enter a number up to 2^53 - 1');
  return { ok: true, value: Number(whole) };
}

/** Parses a number with a fraction of at most `decimals` digits: `0.5`, `1,000`. */
export function parseDecimal(text: string, decimals: number): Parsed<number> {
  const expected = `Enter a number such as 1.${'5'.repeat(Math.min(decimals, 2))}`;
  const read = readTypedNumber(text, { decimals });
  if (!read.ok) return unread(text, read.readings, expected);
  const value = Number(read.decimal);
  const isExact = scaleDecimal(read.decimal, decimals) !== undefined && value <= Number.MAX_SAFE_INTEGER;
  return isExact ? { ok: true, value } : fail(expected);
}

/** Parses a duration: `30s`, `250 ms`, `1.5 min`. */
export function parseDuration(text: string): Parsed<number> {
  const [, times = '', gap = '', unit] = /^(\d.*?)(\s*)([a-z]+)$/i.exec(text.trim()) ?? [];
  if (unit === undefined) return fail('Enter a duration such as 30s, 250ms or 5min');
  const window = parseWindow(times, unit);
  return window.ok ? window : within(window, '', gap + unit);
}

/** Inverse of {@link parseDuration}: `30s`, `5min`, `1500ms`. */
export function formatDuration(ms: number): string {
  const text = formatWindow(ms);
  return /^\d/.test(text) ? text : `1${text}`;
}

/** Parses whole milliseconds: `250`, `1,000`, `250 ms`. Undefined for an empty text. */
export function parseMilliseconds(text: string): Parsed<number | undefined> {
  const typed = text.replace(/ms\s*$/i, '').trim();
  if (typed === '') return { ok: true, value: undefined };
  const read = readTypedNumber(typed);
  const expected = 'Enter whole milliseconds such as 100, or leave it empty';
  if (!read.ok) return unread(typed, read.readings, expected);
  const ms = scaleDecimal(read.decimal, 0);
  return ms === undefined ? fail(expected) : { ok: true, value: Number(ms) };
}

/** Inverse of {@link parseMilliseconds}: `250`, empty for undefined. */
export const formatMilliseconds = (ms: number | undefined): string => ms?.toString() ?? '';

/** Parses a whole percentage: `10`, `10 %`. */
export const parsePercent = (text: string): Parsed<number> => parseCount(text.replace(/\s*%\s*$/, ''));

export const formatPercent = (percent: number): string => `${percent} %`;

/** As {@link parsePercent}; undefined for an empty text. */
export const parseOptionalPercent = (text: string): Parsed<number | undefined> =>
  text.trim() === '' ? { ok: true, value: undefined } : parsePercent(text);

/** Inverse of {@link parseOptionalPercent}. */
export const formatOptionalPercent = (percent: number | undefined): string =>
  percent === undefined ? '' : formatPercent(percent);

/** Parses the length of a prefix: `48`, `/48`; undefined for an empty text. */
export function parsePrefix(text: string): Parsed<number | undefined> {
  const digits = text.trim().replace(/^\//, '');
  if (digits === '') return { ok: true, value: undefined };
  if (!/^\d{1,3}$/.test(digits)) return fail('Enter a prefix length such as /48, or leave it empty');
  return { ok: true, value: Number(digits) };
}

/** Inverse of {@link parsePrefix}. */
export const formatPrefix = (length: number | undefined): string =>
  length === undefined ? '' : `/${length}`;

/** Parses amounts per label: `region: eu 100, us 10k, * 50`, where `*` stands for all others; undefined for an empty text. */
export function parseAmounts(text: string): Parsed<LabelAmounts | undefined> {
  if (text.trim() === '') return { ok: true, value: undefined };
  const [, by, list] = /^([a-z][a-z0-9_]*)\s*:\s*(.+)$/s.exec(text.trim()) ?? [];
  if (by === undefined || list === undefined)
    return fail('Enter a dimension and amounts, such as region: eu 100, us 300');
  const amounts: LabelAmounts = { by, labels: [] };
  // A comma also separates thousands: a label starts a part.
  for (const part of list.split(/,(?=\s*[^\s,]+\s+\d)/)) {
    const [, label, number] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(part) ?? [];
    const limit = parseCount(number ?? '');
    if (!limit.ok && limit.readings) {
      const at = text.indexOf(part) + part.lastIndexOf(number ?? '');
      return within(limit, text.slice(0, at), text.slice(at + (number ?? '').length));
    }
    if (label === undefined || !limit.ok)
      return fail(`Write “${part.trim()}” as a label and its amount, such as eu 100`);
    if (label === OTHER_LABELS) amounts.others = limit.value;
    else amounts.labels.push({ label, limit: limit.value });
  }
  return { ok: true, value: amounts };
}

/** Inverse of {@link parseAmounts}. */
export function formatAmounts(amounts: LabelAmounts | undefined): string {
  if (amounts === undefined) return '';
  const { by, labels, others } = amounts;
  const parts = labels.map(({ label, limit }) => `${label} ${formatCount(limit)}`);
  return `${by}: ${[...parts, ...(others === undefined ? [] : [`${OTHER_LABELS} ${formatCount(others)}`])].join(', ')}`;
}

/** Inverse of {@link parseRate}: `100/min`, `10k/h`, `1,500/15min`. */
export function formatRate(rate: Rate): string {
  return `${formatCount(rate.limit)}/${formatWindow(rate.windowMs)}`;
}

/** Formats a whole number, exactly: `1,500`, `10k`, `2.5M`, `12,345`. */
export function formatCount(count: number): string {
  if (count >= 1_000_000 && count % 100_000 === 0) return `${count / 1_000_000}M`;
  if (count >= 10_000 && count % 100 === 0) return `${count / 1_000}k`;
  return count.toLocaleString('en-US');
}

/** A window in the largest unit that divides it: `min`, `15min`, `day`, `2week`, `1500ms`. */
export function formatWindow(windowMs: number): string {
  const unit = WINDOW_UNITS.find(({ ms }) => windowMs >= ms && windowMs % ms === 0);
  if (!unit) return `${windowMs}ms`;
  return windowMs === unit.ms ? unit.name : `${windowMs / unit.ms}${unit.name}`;
}

/** Longest decimal fraction of a window. */
const WINDOW_DECIMALS = 15;

/** @param times how many units; empty for one */
function parseWindow(times: string, unitText: string): Parsed<number> {
  const spelled = unitText.toLowerCase();
  if (/^(mo|month|months|y|yr|year|years)$/.test(spelled)) {
    return fail('Months and years vary in length; use days, such as 10k/30d');
  }
  const unit = WINDOW_UNITS.find((candidate) => candidate.spelled.includes(spelled));
  if (!unit) return fail(`“${unitText}” is not a time unit; use s, min, h, day or week`);
  const expected = 'The window must be a whole number of milliseconds';
  const read = readTypedNumber(times || '1', { decimals: unit.ms === 1 ? 0 : WINDOW_DECIMALS });
  if (!read.ok) return unread(times, read.readings, expected);
  const parts = BigInt(unit.ms) * (scaleDecimal(read.decimal, WINDOW_DECIMALS) ?? 0n);
  const partsPerMs = 10n ** BigInt(WINDOW_DECIMALS);
  const windowMs = Number(parts / partsPerMs);
  if (parts % partsPerMs !== 0n || windowMs < 1 || !Number.isSafeInteger(windowMs)) return fail(expected);
  return { ok: true, value: windowMs };
}

/** The problem of a typed number: its readings, or the expected format. */
export function unread(text: string, readings: readonly string[], expected: string): Unread {
  return readings.length === 0 ? fail(expected) : { ...fail(explainReadings(text, readings)), readings };
}

/** The problem of a number in a longer text, whose readings are the whole text. */
export function within(problem: Unread, before: string, after: string): Unread {
  const { readings } = problem;
  return readings ? { ...problem, readings: readings.map((one) => before + one + after) } : problem;
}

function fail(message: string): Unread {
  return { ok: false, message };
}

const PERIOD_NAMES: Readonly<Record<QuotaPeriod, string>> = {
  day: 'day',
  week: 'week',
  month: 'month',
  billing: 'billing period',
};

const DEFAULT_LEASE_MS = 60_000;

const QUOTA_PATTERN =
  /^(.*?)\s*(?:\/|\bper\b|\beach\b|\ban?\b)\s*(day|week|month|mo|billing)s?(?:\s+period)?$/i;

const BLOCKED = 'Blocked';

const isBlocked = (text: string): boolean => /^(blocked|0)$/i.test(text.trim());

/** Whether a text stands for no limit. */
export const isUnlimited = (text: string): boolean => /^(unlimited|no limit|none)?$/i.test(text.trim());

/** Text of a rule's amount: `100/min`, `10k/month`, `5 at once`, `Blocked`. {@link parseAmount} parses it. */
export function formatAmount(rule: Rule): string {
  if (isBlocking(rule)) return BLOCKED;
  switch (rule.algorithm) {
    case 'concurrency':
      return `${formatCount(rule.limit)} at once`;
    case 'quota':
      return `${formatCount(rule.limit)}/${PERIOD_NAMES[rule.period]}`;
    default:
      return formatRate(rule);
  }
}

/**
 * Parses the amount of a limit. Where the text implies another algorithm than `rule` has, it switches: `10k per month`
 * is a quota, `5 at once` concurrency, `100/min` a rate, `blocked` a limit of 0. Error messages name the expected format.
 * @param rule the current rule; undefined: none
 */
export function parseAmount(text: string, rule: Rule | undefined): Parsed<Rule> {
  const start: Rule = rule ?? { algorithm: 'fixed_window', limit: 1, windowMs: 60_000, alignment: 'clock' };
  const typed = text.trim();
  if (isBlocked(typed)) return { ok: true, value: { ...start, limit: 0 } };
  if (typed !== '' && isUnlimited(typed)) return fail('Remove the limit to allow unlimited requests');
  const asPermits = /^(.*?)\s*\bat once$/i.exec(typed);
  if (asPermits || (start.algorithm === 'concurrency' && /^[^/a-z]*[km]?$/i.test(typed))) {
    const count = asPermits?.[1] ?? typed;
    const limit = parseCount(count);
    const leaseMs = start.algorithm === 'concurrency' ? start.leaseMs : DEFAULT_LEASE_MS;
    if (!limit.ok) return within(limit, '', typed.slice(count.length));
    return { ok: true, value: { algorithm: 'concurrency', limit: limit.value, leaseMs } };
  }
  const [, count = typed, period] = QUOTA_PATTERN.exec(typed) ?? [];
  const isQuota = start.algorithm === 'quota' || /^(mo|month|billing)$/i.test(period ?? '');
  if (isQuota) {
    const limit = parseCount(count);
    const named = (period?.toLowerCase().replace(/^mo$/, 'month') ?? periodOf(start)) as QuotaPeriod;
    if (limit.ok) return { ok: true, value: { algorithm: 'quota', limit: limit.value, period: named } };
    if (limit.readings) return within(limit, '', typed.slice(count.length));
  }
  const rate = parseRate(typed);
  if (!rate.ok) return isQuota && !rate.readings ? fail('Enter a number such as 10k, or 10k/month') : rate;
  if (start.algorithm !== 'quota' && start.algorithm !== 'concurrency')
    return { ok: true, value: { ...start, ...rate.value } };
  return { ok: true, value: { algorithm: 'fixed_window', alignment: 'clock', ...rate.value } };
}

const periodOf = (rule: Rule): QuotaPeriod => (rule.algorithm === 'quota' ? rule.period : 'month');
