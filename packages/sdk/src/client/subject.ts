import { clientAddress } from '../guard/client-address.js';

/** The longest value that Tollgate takes in `subject`, in UTF-16 units; `MAX_SUBJECT_VALUE` of contracts. */
export const LONGEST_VALUE = 1024;

/** Stands for an empty value. No hash or usual identifier looks like it. */
const EMPTY = '(empty)';

type WithSubject = { subject?: Record<string, unknown> };

/**
 * `request` with values of `subject` that Tollgate would reject put into a form that it counts: the sender of a request
 * often chooses these values, and must not bypass a limit with an invalid one. Overlong values become their SHA-256,
 * empty ones share a counter, and an `ip` that is no address is left out, as an absent one.
 */
export function countable<T extends object>(request: T): T | Promise<T> {
  const { subject } = request as WithSubject;
  if (subject === undefined || subject === null || !Object.entries(subject).some(isUncountable))
    return request;
  return withSubject(request, subject);
}

function isUncountable([dimension, value]: [string, unknown]): boolean {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_VALUE) return true;
  return dimension === 'ip' && clientAddress(value) === undefined;
}

async function withSubject<T extends object>(request: T, subject: Record<string, unknown>): Promise<T> {
  const entries: [string, string][] = [];
  for (const [dimension, value] of Object.entries(subject)) {
    if (value === undefined || value === null) continue;
    const text = String(value);
    if (dimension === 'ip' && clientAddress(text) === undefined) continue;
    entries.push([dimension, text === '' ? EMPTY : text.length > LONGEST_VALUE ? await sha256(text) : text]);
  }
  return { ...request, subject: Object.fromEntries(entries) };
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256:${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
