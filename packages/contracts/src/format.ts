import { formatMoney } from './money.js';

/** Longer than any clock change. */
const NEAR_CHANGE_MS = 3 * 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * `20 Nov 2026, 14:03 Europe/Berlin`; near a clock change with offset: `25 Oct 2026, 02:30 Europe/Berlin (GMT+2)`.
 * @throws RangeError for an invalid date or zone
 */
export function formatMomentInZone(at: string | Date, timeZone: string): string {
  const atMs = new Date(at).getTime();
  const { day, month, year, hour, minute, timeZoneName } = partsOf(timeZone, atMs);
  const offsets = [atMs - NEAR_CHANGE_MS, atMs + NEAR_CHANGE_MS].map(
    (ms) => partsOf(timeZone, ms).timeZoneName,
  );
  const offset = new Set(offsets).size === 1 ? '' : ` (${timeZoneName})`;
  return `${day} ${month} ${year}, ${hour}:${minute} ${timeZone}${offset}`;
}

function partsOf(timeZone: string, atMs: number): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', timeZoneName: 'shortOffset' },
      ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
    });
    formats.set(timeZone, format);
  }
  return Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
}

const NOT_FOR_PEOPLE = /^(?:version|hash|id|.*Id)$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const CONSTANT = /^[A-Z]+(?:_[A-Z]+)*$/;
const MINOR = /^(.*)Minor$/;

/** Scalar values of a record as text, by readable field name: `time zone`. Omits ids and versions. */
export function readFields(record: unknown, timeZone: string): Map<string, string> {
  const fields = new Map<string, string>();
  if (typeof record !== 'object' || record === null) return fields;
  const { currency } = record as { currency?: unknown };
  for (const [name, value] of Object.entries(record)) {
    if (NOT_FOR_PEOPLE.test(name)) continue;
    const amount = MINOR.exec(name)?.[1];
    if (amount !== undefined && typeof value === 'number' && typeof currency === 'string') {
      fields.set(wordsOf(amount), formatMoney(value, currency));
    } else if (name !== 'currency') {
      const text = isCode(name) && typeof value === 'string' ? value : readField(value, timeZone);
      if (text !== '') fields.set(wordsOf(name), text);
    }
  }
  return fields;
}

/** Whether a field has codes such as `UTC` and `EUR`, which are no constants. */
export const isCode = (name: string): boolean => name === 'timeZone' || name === 'currency';

/** A scalar value as text; empty for other values. */
export function readField(value: unknown, timeZone: string): string {
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return '';
  if (MOMENT.test(value) && !Number.isNaN(Date.parse(value))) return formatMomentInZone(value, timeZone);
  return CONSTANT.test(value) ? value.toLowerCase().replaceAll('_', ' ') : value;
}

/** A field's name as words: `timeZone` as `time zone`, `apiKey` as `API`. */
export function wordsOf(name: string): string {
  const words = name.replace(/Key$/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
  return words.toLowerCase().replace(/^api\b/, 'API');
}
