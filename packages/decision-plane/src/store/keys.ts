import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Longest value that stays readable in a key; a longer one, or one with other characters, is hashed. */
const MAX_PLAIN_LENGTH = 32;
const PLAIN = /^[A-Za-z0-9._@-]+$/;

/**
 * The key of one counter: `{acme}:g1:url-shortener:create-minute=u1~…`. The tenant is the hash tag, so that all keys
 * of one decision share a slot. Tenant, API and limit names hold none of `{}:=#~`, a value begins with the mark of how
 * it is written, and values stand in the limit's order of dimensions: two different counters never share a key.
 *
 * @param stem what follows the tenant, from the compiled limit: algorithm version, API, limit name
 * @param values the value of each of the limit's dimensions, from {@link dimensionValue}
 */
export function counterKey(tenant: string, stem: string, values: readonly string[]): string {
  let key = `{${tenant}}${stem}`;
  for (const value of values) key += value;
  return key;
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
