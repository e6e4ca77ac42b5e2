import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalAddress } from './addresses.js';

/*
 * Values that a caller may choose: their syntax, and how each becomes a value that a limit can count. Without Zod, because
 * the SDK contains this file.
 */

export const MAX_COST = 1_000_000_000;

/** UTF-16 units. */
export const MAX_SUBJECT_VALUE = 1024;

export const OPERATION_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
export const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

export function isOperationName(text: string): boolean {
  return OPERATION_NAME.test(text);
}

/** Name under which requests without a valid operation name count: usually unregistered, so by limits of the whole API. */
export const UNNAMED_OPERATION = 'unnamed';

export function countableOperation(name: string | undefined): string {
  return name !== undefined && isOperationName(name) ? name : UNNAMED_OPERATION;
}

/** Counts empty values together. Does not look like a hash or a usual identifier. */
const EMPTY = '(empty)';

/**
 * Values of a subject that the decision API accepts: overlong ones become their SHA-256, empty ones share a counter, other
 * types become text. Values that are null or undefined, and an `ip` that is not an address, are left out: such requests
 * follow `onMissing` of the limit. Addresses have the form of `canonicalAddress`.
 * @returns `subject` itself if it needs no change
 */
export function countableSubject(subject: Readonly<Record<string, unknown>>): Record<string, string> {
  if (isCountable(subject)) return subject;
  const entries: [string, string][] = [];
  for (const [dimension, value] of Object.entries(subject)) {
    if (value === undefined || value === null) continue;
    const text = dimension === 'ip' ? canonicalAddress(String(value)) : countableText(String(value));
    if (text !== undefined) entries.push([dimension, text]);
  }
  // Also for a dimension named `__proto__`.
  return Object.fromEntries(entries);
}

function isCountable(subject: Readonly<Record<string, unknown>>): subject is Record<string, string> {
  return Object.entries(subject).every(([dimension, value]) => {
    if (typeof value !== 'string' || value === '' || value.length > MAX_SUBJECT_VALUE) return false;
    return dimension !== 'ip' || canonicalAddress(value) === value;
  });
}

/** Rounds up, to 1 or more. Other values than finite numbers are unchanged: the decision API rejects them. */
export function countableCost(cost: number): number {
  return Number.isFinite(cost) ? Math.max(1, Math.ceil(cost)) : cost;
}

/** An invalid id becomes its SHA-256, so that a retry with the same id has the same one. */
export function countableRequestId(id: string): string {
  return REQUEST_ID.test(id) ? id : hashed(id);
}

function countableText(text: string): string {
  if (text === '') return EMPTY;
  return text.length > MAX_SUBJECT_VALUE ? hashed(text) : text;
}

function hashed(text: string): string {
  return `sha256:${bytesToHex(sha256(utf8ToBytes(text)))}`;
}
