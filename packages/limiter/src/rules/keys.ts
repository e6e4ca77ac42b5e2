import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import {
  DEFAULT_PREFIXES,
  type LimitPolicy,
  type LimitRequest,
  type TenantRecord,
} from '@tollgate/contracts';
import { readAddress } from '@tollgate/contracts/addresses';
import { maskedBytes, networkHex } from './addresses.js';

type LimitName = Pick<LimitPolicy, 'api' | 'name'>;

/** Maximum length of a plain value; longer values, and values with other characters, are hashed. */
const MAX_PLAIN_LENGTH = 32;
const PLAIN = /^[A-Za-z0-9._@-]+$/;

/**
 * Name of a counter: its key, or the key of a hash, `|` and a field. The tenant is the hash tag, or its parent if it has one, so all
 * counters of one decision share a slot. Unique: names contain none of `{}/:=#~!^?|+`, and each value starts with a character for its
 * encoding.
 *
 * - `{acme}:g1:url-shortener:create-minute=u1~…`
 * - of a child: `{acme}/team-a/:g1:url-shortener:create-minute=u1~…`
 * - packed: `{acme}pAbCdEfGhIj:17|=u1`
 * - one value per subject: `{acme}sAbCdEfGhIjKl=u1|g1:create-minute`
 * @param tag {@link tenantTag} or {@link globalTag}
 * @param stem of the limit: {@link keyStem}, {@link packedStem} or {@link subjectStem}
 * @param values one per dimension, from {@link dimensionValue}, or {@link MISSING_VALUE}
 */
export function counterKey(tag: string, stem: string, values: readonly string[]): string {
  let encoded = '';
  for (const value of values) encoded += value;
  const at = stem.indexOf(FIELD_MARK);
  const start = keyStart(tag);
  if (at >= 0) return `${start}${stem.slice(0, at)}${encoded}${stem.slice(at)}`;
  const [name = '', hashes] = stem.split('/');
  if (hashes === undefined) return `${start}${stem}${encoded}`;
  return `${start}${name}:${hashText(encoded) % Number(hashes)}${FIELD_MARK}${packedField(encoded)}`;
}

/** Tag of a tenant's counters and receipts: its key, or `parent/key`. */
export function tenantTag({ tenant, parent }: Pick<TenantRecord, 'tenant' | 'parent'>): string {
  return parent === undefined ? tenant : `${parent}/${tenant}`;
}

/** What all keys with a tag start with: `{acme}`, or `{acme}/team-a/` of a child, in the slot of its parent. */
export function keyStart(tag: string): string {
  const at = tag.indexOf('/');
  return at < 0 ? `{${tag}}` : `{${tag.slice(0, at)}}${tag.slice(at)}/`;
}

/** The tenant whose counter or receipt has the key. */
export function tenantOfKey(key: string): string {
  const end = key.indexOf('}');
  return key[end + 1] === '/' ? key.slice(end + 2, key.indexOf('/', end + 2)) : key.slice(1, end);
}

const PENALTY_VERSION = 'n1';

/** Key of the penalty of a counter with a key, in its slot; the same for every algorithm of its limit. */
export function penaltyKey(key: string): string {
  const end = key.indexOf('}') + 1;
  const version = (key[end] === '/' ? key.indexOf('/', end + 1) + 1 : end) + 1;
  return `${key.slice(0, version)}${PENALTY_VERSION}${key.slice(key.indexOf(':', version))}`;
}

/** Stem of a limit whose counters have a key each. */
export function keyStem({ api, name }: LimitName, stateVersion: string): string {
  return `:${stateVersion}:${api}:${name}`;
}

/** Stem of a packed limit. Short keys save a tenth of the CPU; 60 bits of the name. @param hashes per tenant */
export function packedStem({ api, name }: LimitName, hashes: number): string {
  return `p${textHash(`${api}:${name}`).slice(0, 10)}/${hashes}`;
}

/**
 * Stem of a limit whose counters are fields of one hash per subject, together with those of all limits of its API with the same
 * dimensions. 72 bits of API and dimensions; 24 of them of the API alone, so that all hashes of an API can be found.
 */
export function subjectStem(
  { api, name, per }: LimitName & Pick<LimitPolicy, 'per'>,
  stateVersion: string,
): string {
  const dimensions = per.filter((dimension) => dimension !== 'global');
  return `${subjectStart(api)}${textHash([api, ...dimensions].join(':')).slice(0, 8)}${FIELD_MARK}${stateVersion}:${name}`;
}

/** Start of the keys of all hashes of {@link subjectStem} of an API. */
export function subjectStart(api: string): string {
  return `s${textHash(api).slice(0, 4)}`;
}

function textHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Longer fields are hashed to this length: 84 bits. Plain ones start with a character that base64url does not use. */
const FIELD_LENGTH = 14;

function packedField(encoded: string): string {
  if (encoded.length <= FIELD_LENGTH) return encoded;
  return textHash(encoded).slice(0, FIELD_LENGTH);
}

const FIELD_MARK = '|';

/** Whether the counter `name` is a field of a hash. */
export function isField(name: string): boolean {
  return name.includes(FIELD_MARK);
}

/** What the names of all fields of one hash begin with, for the `name` of one of them. */
export function fieldPrefix(name: string): string {
  return name.slice(0, name.indexOf(FIELD_MARK) + 1);
}

/** The Redis key of the counter `name`, and its field if the key is a hash. */
export function addressOf(name: string): { key: string; field?: string } {
  const at = name.indexOf(FIELD_MARK);
  return at < 0 ? { key: name } : { key: name.slice(0, at), field: name.slice(at + 1) };
}

/** Hash tag of counters of all tenants of an API; not a valid tenant name. */
export function globalTag(api: string): string {
  return `~${api}`;
}

/** Hash tag of counters of Tollgate's own callers; not a valid tenant name. */
export function ownTag(purpose: string): string {
  return `!${purpose}`;
}

/** No encoded value starts with it. */
export const MISSING_VALUE = '?';

/** Key of a limit's counter for requests beyond a tenant's key budget. */
export function overflowKey(tag: string, stem: string): string {
  return counterKey(tag, stem, ['^']);
}

/** Key of a request's receipt, in the slot of its counters. */
export function receiptKey(tag: string, requestId: string): string {
  return `${keyStart(tag)}:r1${dimensionValue('request', requestId)}`;
}

/** Number for a request id, 1 to 2^53 - 1; unique within a tenant, except for hash collisions. */
export function holderOf(requestId: string): number {
  return numberFor(requestId);
}

/** Fingerprint of a request, 1 to 2^53 - 1: equal for a retry. */
export function fingerprintOf({ api, operation, subject = {}, cost }: LimitRequest): number {
  const dimensions = Object.keys(subject).sort();
  return numberFor(JSON.stringify([api, operation, cost, dimensions.map((name) => [name, subject[name]])]));
}

function numberFor(text: string): number {
  const hash = createHash('sha256').update(text).digest();
  return hash.readUIntBE(0, 6) * 32 + (hash.readUInt8(6) % 31) + 1;
}

/**
 * Encodes a dimension's value for a key: plain (`=u1`), an address (`~` and its canonical form; IPv6 by its /64) or hashed
 * (`#` and 128 bits of SHA-256, base64url). Undefined for an invalid `ip`.
 * @param prefixes of the limit; networks of another length than the default end with it (`~10.1.2.0/24`, `~20010db80001/48`)
 */
export function dimensionValue(
  dimension: string,
  value: string,
  prefixes: Pick<LimitPolicy, 'ipv4Prefix' | 'ipv6Prefix'> = DEFAULT_PREFIXES,
): string | undefined {
  if (dimension === 'ip') return addressValue(value, prefixes);
  if (value.length <= MAX_PLAIN_LENGTH && PLAIN.test(value)) return `=${value}`;
  // UTF-16 code units, not UTF-8: two lone surrogates would both become U+FFFD and collide.
  return `#${createHash('sha256').update(value, 'utf16le').digest().subarray(0, 16).toString('base64url')}`;
}

function addressValue(
  value: string,
  {
    ipv4Prefix = DEFAULT_PREFIXES.ipv4Prefix,
    ipv6Prefix = DEFAULT_PREFIXES.ipv6Prefix,
  }: Parameters<typeof dimensionValue>[2] & {},
): string | undefined {
  // Only the canonical form of an IPv4 address is valid.
  if (ipv4Prefix === DEFAULT_PREFIXES.ipv4Prefix && isIPv4(value)) return `~${value}`;
  const bytes = readAddress(value);
  if (bytes === undefined) return undefined;
  if (bytes.length === 4) {
    if (ipv4Prefix === DEFAULT_PREFIXES.ipv4Prefix) return `~${bytes.join('.')}`;
    return `~${maskedBytes(bytes, ipv4Prefix).join('.')}/${ipv4Prefix}`;
  }
  // The holder of one address of a /64 controls all of them, so by default they share a counter.
  const network = `~${networkHex(bytes, ipv6Prefix)}`;
  return ipv6Prefix === DEFAULT_PREFIXES.ipv6Prefix ? network : `${network}/${ipv6Prefix}`;
}

/** Hash of a text, 0 to 2^32 - 1 (FNV-1a), equal on all nodes. Not cryptographic. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
