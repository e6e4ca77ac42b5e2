import { formatMoney } from './money.js';
import { formatNumber } from './number-format.js';
import { formatMoment } from './time-format.js';

const NOT_FOR_PEOPLE = /^(?:version|hash|id|.*Id)$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const CONSTANT = /^[A-Z]+(?:_[A-Z]+)*$/;
const MINOR = /^(.*)Minor$/;

/**
 * A record's own values as people read them, by the words of their names: `time zone`, `limits admin`, `€49.00`; times are in the
 * reader's zone. Ids, versions, and values that are nested are left out.
 */
export function readFields(record: unknown): Map<string, string> {
  const fields = new Map<string, string>();
  if (typeof record !== 'object' || record === null) return fields;
  const { currency } = record as { currency?: unknown };
  for (const [name, value] of Object.entries(record)) {
    if (NOT_FOR_PEOPLE.test(name)) continue;
    const amount = MINOR.exec(name)?.[1];
    if (amount !== undefined && typeof value === 'number' && typeof currency === 'string') {
      fields.set(wordsOf(amount), formatMoney(value, currency));
    } else if (name !== 'currency') {
      const text = textOf(value);
      if (text !== '') fields.set(wordsOf(name), text);
    }
  }
  return fields;
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string') return '';
  if (MOMENT.test(value)) return formatMoment(value);
  return CONSTANT.test(value) ? value.toLowerCase().replaceAll('_', ' ') : value;
}

function wordsOf(name: string): string {
  const words = name.replace(/Key$/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
  return words.toLowerCase().replace(/^api\b/, 'API');
}
