import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key of 32 bytes: initialisation vector, ciphertext, tag. The same text looks different each time.
 * @param bound additional authenticated data: `decrypt` needs the same bytes
 */
export function encrypt(key: Buffer, plain: Uint8Array, bound?: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  if (bound !== undefined) cipher.setAAD(bound);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error when it was changed, cut off, encrypted under another key, or bound to other data */
export function decrypt(key: Buffer, sealed: Uint8Array, bound?: Uint8Array): Buffer {
  // Without its length, a tag of four bytes would do: what is cut off could be forged by trying.
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  if (bound !== undefined) decipher.setAAD(bound);
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}
