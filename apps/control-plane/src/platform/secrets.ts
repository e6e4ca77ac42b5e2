import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a 32-byte key: initialization vector, ciphertext, tag. @param bound additional authenticated data */
export function encrypt(key: Buffer, plain: Uint8Array, bound?: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  if (bound !== undefined) cipher.setAAD(bound);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if it was changed or encrypted with another key or other bound data */
export function decrypt(key: Buffer, sealed: Uint8Array, bound?: Uint8Array): Buffer {
  // Without a fixed length, truncated tags of four bytes would be accepted, which can be forged by trial.
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  if (bound !== undefined) decipher.setAAD(bound);
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** A secret can be decrypted for the same use only. */
export interface SealBinding {
  purpose: 'webhook secret' | 'invitation' | 'usage widget';
  /** Row of the secret. */
  id: string;
  /** Email address, for secrets that are sent. */
  recipient?: string;
}

/** Marks bound text; earlier versions had no binding. */
const BOUND = 'b1';

/**
 * Encrypts secrets that must be read again, such as signing keys of webhooks: AES-256-GCM with a key per purpose and the
 * binding as authenticated data. The format is `secretId:b1:base64url`; the id selects one of `ENCRYPTION_SECRETS`,
 * whose first entry encrypts.
 */
@Injectable()
export class SealedSecrets {
  constructor(private readonly config: AppConfig) {}

  seal(binding: SealBinding, text: string): string {
    const { id, secret } = this.config.encryptionSecrets[0];
    const sealed = encrypt(keyFor(secret, binding.purpose), Buffer.from(text), bytesOf(binding));
    return `${id}:${BOUND}:${sealed.toString('base64url')}`;
  }

  /** @throws Error if the key is missing or the text was changed or sealed for another use */
  open(binding: SealBinding, sealed: string): string {
    const [id = '', form, text = ''] = sealed.split(':');
    if (form !== BOUND) throw new Error('the sealed secret is not bound to its use');
    return this.decrypt(id, binding, text, bytesOf(binding));
  }

  /** Also opens secrets that an earlier version sealed without a binding; for secrets without expiry. */
  openStored(binding: SealBinding, sealed: string): string {
    const [id = '', text = '', more] = sealed.split(':');
    return more === undefined ? this.decrypt(id, binding, text, undefined) : this.open(binding, sealed);
  }

  private decrypt(id: string, { purpose }: SealBinding, text: string, bound: Uint8Array | undefined): string {
    const known = this.config.encryptionSecrets.find((candidate) => candidate.id === id);
    if (known === undefined) throw new Error(`ENCRYPTION_SECRETS has no secret "${id}" any more`);
    try {
      return decrypt(keyFor(known.secret, purpose), Buffer.from(text, 'base64url'), bound).toString('utf8');
    } catch (cause) {
      throw new Error('the secret was sealed for another use, or changed', { cause });
    }
  }
}

function keyFor(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `tollgate ${purpose}`, 32));
}

function bytesOf({ purpose, id, recipient = '' }: SealBinding): Uint8Array {
  return Buffer.from(JSON.stringify([purpose, id, recipient]));
}
