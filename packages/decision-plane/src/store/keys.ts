import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { LimitRequest } from '@tollgate/contracts';
import ipaddr from 'ipaddr.js';

/** Longest value that stays readable in a key; a longer one, or one with other characters, is hashed. */
const MAX_PLAIN_LENGTH = 32;
const PLAIN = /^[A-Za-z0-9._@-]+$/;

/**
 * The key of one counter: `{acme}:g1:url-shortener:create-minute=u1~…`. The tenant is the hash tag, so that all keys
 * of one decision share a slot. Tenant, API and limit names hold none of `{}:=#~!^?`, a value begins with the mark of how
 * it is written, and values stand in the limit's order of dimensions: two different counters never share a key.
 *
 * @param tag the tenant, or {@link globalTag} for a limit on all tenants together
 * @param stem what follows it, from the compiled limit: algorithm version, API, limit name
 * @param values the value of each of the limit's dimensions, from {@link dimensionValue}, or {@link MISSING_VALUE}
 */
export function counterKey(tag: string, stem: string, values: readonly string[]): string {
  let key = `{${tag}}${stem}`;
  for (const value of values) key += value;
  return key;
}

/** The hash tag of what counts all tenants of an API together. No tenant is called so. */
export function globalTag(api: string): string {
  return `~${api}`;
}

/** The hash tag of what Tollgate counts of its own callers, apart from what customers' limits count. No tenant is called so. */
export function ownTag(purpose: string): string {
  return `!${purpose}`;
}

/** Stands in a key for the value of a dimension that a request does not have: no value is written so. */
export const MISSING_VALUE = '?';

/** The key under which a limit counts what is beyond a tenant's budget of keys. */
export function overflowKey(tag: string, stem: string): string {
  return `{${tag}}${stem}^`;
}

/** Where the receipt of a request is kept: beside the counters that it charged. */
export function receiptKey(tag: string, requestId: string): string {
  return `{${tag}}:r1${dimensionValue('request', requestId)}`;
}

/** A number for whoever sent a request, 1 to 2^53 - 1: two requests of one tenant do not share one. */
export function holderOf(requestId: string): number {
  return numberFor(requestId);
}

/** A number for what a request asks for, 1 to 2^53 - 1: a retry asks for the same. */
export function askedOf({ api, operation, subject = {}, cost }: LimitRequest): number {
  const dimensions = Object.keys(subject).sort();
  return numberFor(JSON.stringify([api, operation, cost, dimensions.map((name) => [name, subject[name]])]));
}

function numberFor(text: string): number {
  const hash = createHash('sha256').update(text).digest();
  return hash.readUIntBE(0, 6) * 32 + (hash.readUInt8(6) % 31) + 1;
}

/**
 * How a dimension's value is written in a key: plain (`=u1`), an address (`~` and its canonical form; IPv6 by its /64)
 * or hashed (`#` and 128 bits of SHA-256, base64url).
 *
 * @returns undefined for an `ip` that is no address
 */
export function dimensionValue(dimension: string, value: string): string | undefined {
  if (dimension === 'ip') return addressValue(value);
  if (value.length <= MAX_PLAIN_LENGTH && PLAIN.test(value)) return `=${value}`;
  // UTF-16 code units, not UTF-8: two lone surrogates would both become U+FFFD and meet.
  return `#${createHash('sha256').update(value, 'utf16le').digest().subarray(0, 16).toString('base64url')}`;
}

function addressValue(value: string): string | undefined {
  const family = isIP(value);
  if (family === 4) return `~${value}`;
  if (family === 0 || value.includes('%')) return undefined;
  const address = ipaddr.IPv6.parse(value.includes('.') ? withoutDots(value) : value);
  if (address.isIPv4MappedAddress()) return `~${address.toIPv4Address().toString()}`;
  // Whoever holds one address of a /64 holds all of them: they are counted as one.
  return `~${Buffer.from(address.toByteArray().slice(0, 8)).toString('hex')}`;
}

// The parser takes `::1.2.3.4` for an address mapped from IPv4, which only `::ffff:1.2.3.4` is; written in hexadecimal,
// nothing is left to guess.
function withoutDots(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** A number for a text, 0 to 2^32 - 1 (FNV-1a): the same on every node. Not for secrets. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
