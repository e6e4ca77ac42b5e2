import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Format: `tga_live_` + 12 characters of public id + 32 of secret (190 bits) + 6 of CRC32, all base62. The checksum
 * rejects typos without a look-up.
 */
export type TokenKind = 'tgk' | 'tga' | 'tgn';
export type TokenMode = 'live' | 'test';

export interface ParsedToken {
  kind: TokenKind;
  mode: TokenMode;
  publicId: string;
}

export interface IssuedToken extends ParsedToken {
  /** Shown once, never stored. */
  token: string;
  lastFour: string;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PATTERN = /^(tg[kan])_(live|test)_([0-9A-Za-z]{12})[0-9A-Za-z]{32}([0-9A-Za-z]{6})$/;

/** @param publicId a rotated token keeps its public id */
export function issueToken(kind: TokenKind, mode: TokenMode, publicId = randomBase62(12)): IssuedToken {
  const body = `${kind}_${mode}_${publicId}${randomBase62(32)}`;
  const token = body + checksum(body);
  return { token, kind, mode, publicId, lastFour: token.slice(-4) };
}

/** Undefined: wrong form or checksum. */
export function parseToken(token: string): ParsedToken | undefined {
  const match = PATTERN.exec(token);
  if (match === null || checksum(token.slice(0, -6)) !== match[4]) return undefined;
  return { kind: match[1] as TokenKind, mode: match[2] as TokenMode, publicId: match[3] as string };
}

export function hashToken(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(token).digest('hex');
}

/** Constant time. */
export function tokenMatches(token: string, pepper: string, storedHash: string): boolean {
  const actual = Buffer.from(hashToken(token, pepper), 'hex');
  const stored = Buffer.from(storedHash, 'hex');
  return actual.length === stored.length && timingSafeEqual(actual, stored);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < 6; i++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** By version: the newest hashes new tokens, older ones verify existing tokens. */
export type Peppers = ReadonlyMap<number, string>;

const OLD_PEPPER = /^([1-9]\d{0,6}):([^,]{32,})$/;

/** Parses `2:<secret>,1:<secret>`. @throws Error without the secrets */
export function parseOldPeppers(text: string): Peppers {
  const peppers = new Map<number, string>();
  for (const part of text.split(',')) {
    const match = OLD_PEPPER.exec(part.trim());
    if (match === null)
      throw new Error('must be version:secret, several with commas, each secret 32 characters or more');
    const version = Number(match[1]);
    if (peppers.has(version)) throw new Error(`names version ${version} twice`);
    peppers.set(version, match[2] as string);
  }
  return peppers;
}

export function randomBase62(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += ALPHABET.charAt(randomInt(62));
  return text;
}
