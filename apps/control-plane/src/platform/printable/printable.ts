import type * as z from 'zod';
import { PRINTABLE_CHARACTERS } from '#src/platform/printable/generated/printable-characters.js';

/** Characters that are not drawn themselves: joiners, marks of direction, and selectors of variants. */
const INVISIBLE = /[\u200c-\u200f\u061c\u2066-\u2069]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u;

export const isInvisible = (character: string): boolean => INVISIBLE.test(character);

/** A text of any direction within another, whose order it does not change. */
export const isolated = (text: string): string => `\u2068${text}\u2069`;

/** The text as documents print it: composed, and with spaces that every font has. */
export const printedText = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u2007\u202f]/g, '\u00a0')
    .replace(/[\t\u2000-\u200a\u205f]/g, ' ');

const MAX_LISTED = 5;

/** Code points that a font of documents has, as their first and last ones, ascending. */
let ranges: (readonly [first: number, last: number])[] | undefined;

function isPrintable(character: string): boolean {
  if (character === '\n' || isInvisible(character)) return true;
  ranges ??= PRINTABLE_CHARACTERS.trim()
    .split(/\s+/)
    .map((range) => {
      const [first = '', last = first] = range.split('-');
      return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
    });
  const codePoint = character.codePointAt(0) ?? 0;
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [first, last] = ranges[middle] ?? [0, 0];
    if (codePoint < first) high = middle;
    else if (codePoint > last) low = middle + 1;
    else return true;
  }
  return false;
}

/** Names the characters of a text that invoices and receipts cannot print. Undefined: none. */
export function findUnprintable(text: string): string | undefined {
  const found = new Set(printedText(text));
  for (const character of found) if (isPrintable(character)) found.delete(character);
  if (found.size === 0) return undefined;
  const listed = [...found].slice(0, MAX_LISTED).map(nameOf).join(', ');
  return (
    `Invoices and receipts cannot print ${listed}${found.size > MAX_LISTED ? ' and others' : ''}. ` +
    'Use Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Thai, Chinese, Japanese or Korean characters.'
  );
}

function nameOf(character: string): string {
  if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(character)) return `“${character}”`;
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** For `superRefine` of a text that documents print. */
export function refinePrintable(text: string | null | undefined, context: z.RefinementCtx): void {
  const problem = text == null ? undefined : findUnprintable(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
}
