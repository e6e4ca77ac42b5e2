import { TollgateError } from '@tollgate/contracts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * Refuses JSON in which an object has a field twice. `JSON.parse` keeps the last one without a word; others keep the first,
 * so that a gateway before us could have checked something else than what we act on. Texts are written many thousand times
 * a second: fields are counted in the text and in what it was parsed to, and named only where the numbers differ.
 *
 * @param text valid JSON @param value what it was parsed to
 * @throws TollgateError `body-duplicate-field`
 */
export function refuseDuplicateFields(text: string, value: unknown): void {
  if (fieldsWritten(text) === fieldsOf(value)) return;
  const field = nameOfDuplicate(text);
  throw new TollgateError('body-duplicate-field', {
    errors: [{ field, message: 'This field is there twice' }],
  });
}

function fieldsWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = endOfString(text, at);
    if (isBeforeColon(text, at)) count++;
  }
  return count;
}

/** @param start of a string, its opening quote @returns the place behind its closing quote */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (text.charCodeAt(quote - 1) !== BACKSLASH || !isEscaped(text, quote, start)) return quote + 1;
    at = quote + 1;
  }
}

function isEscaped(text: string, quote: number, start: number): boolean {
  let at = quote - 1;
  while (at > start && text.charCodeAt(at) === BACKSLASH) at--;
  return (quote - 1 - at) % 2 === 1;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  // Blanks of JSON are all below 0x21, and nothing else that may stand here is.
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}

/** By a list of what is left to look at: JSON may be nested deeper than calls may be. */
function fieldsOf(value: unknown): number {
  const left: unknown[] = [value];
  let count = 0;
  for (let inner = left.pop(); inner !== undefined; inner = left.pop()) {
    if (typeof inner !== 'object' || inner === null) continue;
    const isList = Array.isArray(inner);
    for (const key in inner) {
      if (!isList) count++;
      const item: unknown = (inner as Record<string, unknown>)[key];
      if (typeof item === 'object') left.push(item);
    }
  }
  return count;
}

/** The first field that its object has already; slow, for a text that is known to have one. */
function nameOfDuplicate(text: string): string {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (text[at] === '{') open.push(new Set());
    else if (text[at] === '}') open.pop();
    else if (character === QUOTE) {
      const end = endOfString(text, at);
      if (isBeforeColon(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string;
        const names = open.at(-1);
        if (names?.has(name) === true) return name.slice(0, 100);
        names?.add(name);
      }
      at = end - 1;
    }
  }
  return '';
}
