import { hkdfSync } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { decrypt, encrypt } from '../secrets/aead.js';

/**
 * Keeps what was answered so that only who sends the same key again can have it read: answers may hold secrets that are
 * shown once and stored nowhere. The database has a hash of the key alone, and never the pepper.
 */
export class Seal {
  private readonly secret: Buffer;

  constructor(pepper: string, idempotencyKey: string) {
    const secret = hkdfSync('sha256', pepper, idempotencyKey, 'tollgate idempotency answer', 32);
    this.secret = Buffer.from(secret);
  }

  /** @param value of plain data: dates and large integers stay what they are */
  close(value: unknown): Uint8Array<ArrayBuffer> {
    return new Uint8Array(encrypt(this.secret, serialize(value)));
  }

  /** @throws Error when it was closed under another key or pepper */
  open<T>(closed: Uint8Array): T {
    return deserialize(decrypt(this.secret, closed)) as T;
  }
}
