import { hkdfSync } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { ApiError } from '../errors/api-error.js';
import { decrypt, encrypt } from '../secrets/aead.js';
import type { IdempotentRequest } from './idempotent-request.js';

/**
 * Encrypts answers that are kept for a repetition of their request: they may contain secrets that are shown once. The key
 * follows from the idempotency key, of which the database has a hash only; actor and step are authenticated data, so that an
 * answer opens for nobody else and in no other place.
 */
export class Seal {
  private readonly secret: Buffer;
  private readonly actorId: string;

  constructor(pepper: string, { actorId, key }: Pick<IdempotentRequest, 'actorId' | 'key'>) {
    this.actorId = actorId;
    this.secret = Buffer.from(hkdfSync('sha256', pepper, key, 'tollgate idempotency answer', 32));
  }

  /**
   * @param step `answer`, or the name of a step of the request
   * @param value plain data: dates and large integers keep their types
   */
  close(step: string, value: unknown): Uint8Array<ArrayBuffer> {
    return new Uint8Array(encrypt(this.secret, serialize(value), this.boundTo(step)));
  }

  /** @throws ApiError IDEMPOTENCY_MISMATCH when it was closed under another key, pepper, actor or step */
  open<T>(step: string, closed: Uint8Array): T {
    try {
      return deserialize(decrypt(this.secret, closed, this.boundTo(step))) as T;
    } catch (cause) {
      const message =
        'The answer kept under this Idempotency-Key cannot be read: an earlier version or another TOKEN_PEPPER sealed it. Check whether the first request took effect before sending a new key.';
      throw Object.assign(new ApiError('IDEMPOTENCY_MISMATCH', message, {}, {}), { cause });
    }
  }

  private boundTo(step: string): Uint8Array {
    return Buffer.from(JSON.stringify([this.actorId, step]));
  }
}
