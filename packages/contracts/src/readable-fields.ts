import { formatMomentInZone } from './moment-text.js';
import { formatMoney } from './money-text.js';

const NOT_FOR_PEOPLE = /^(?:version|hash|id|.*Id)$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const CONSTANT = /^[A-Z]+(?:_[A-Z]+)*$/;
const MINOR = /^(.*)Minor$/;

/**
 * A record's own values as people read them, by the words of their names: `time zone`, `limits admin`, `€49.00`; times by the
 * clock of a zone, which is said. Ids, versions, and values that are nested are left out.
 */
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
      const text = textOf(value, timeZone);
      if (text !== '') fields.set(wordsOf(name), text);
    }
  }
  return fields;
}

function textOf(value: unknown, timeZone: string): string {
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return '';
  if (MOMENT.test(value) && !Number.isNaN(Date.parse(value))) return formatMomentInZone(value, timeZone);
  return CONSTANT.test(value) ? value.toLowerCase().replaceAll('_', ' ') : value;
}

function wordsOf(name: string): string {
  const words = name.replace(/Key$/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
  return words.toLowerCase().replace(/^api\b/, 'API');
}
