import { createPrivateKey, createPublicKey, hash, type KeyObject, randomBytes } from 'node:crypto';

/** What stands before the 32 bytes of an Ed25519 key in its DER forms (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

const KEY = /^[A-Za-z0-9_-]{43}$/;

/** Whether `text` is the text form of a key: 32 bytes in base64url. */
export function isSealKey(text: string): boolean {
  return KEY.test(text) && Buffer.from(text, 'base64url').length === 32;
}

/** A new signing key, in text form. */
export function newSigningKey(): string {
  return randomBytes(32).toString('base64url');
}

/** The public key of a signing key, in text form. */
export function publicKeyOf(signingKey: string): string {
  return exportPublicKey(createPublicKey(readSigningKey(signingKey)));
}

/** @throws Error for what is not a key; it does not repeat it */
export function readSigningKey(text: string): KeyObject {
  return createPrivateKey({ key: der(PRIVATE_PREFIX, text), format: 'der', type: 'pkcs8' });
}

/** @throws Error for what is not a key */
export function readPublicKey(text: string): KeyObject {
  return createPublicKey({ key: der(PUBLIC_PREFIX, text), format: 'der', type: 'spki' });
}

/** What a seal names its key by. */
export function keyIdOf(publicKey: string): string {
  return hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex').slice(0, 16);
}

export function exportPublicKey(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_PREFIX.length).toString('base64url');
}

function der(prefix: Buffer, text: string): Buffer {
  if (!isSealKey(text)) throw new Error('not a key: 32 bytes in base64url are expected');
  return Buffer.concat([prefix, Buffer.from(text, 'base64url')]);
}
