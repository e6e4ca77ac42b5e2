import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';

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
  // Without a fixed length, a truncated tag of four bytes would be accepted, which can be forged by trial.
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  if (bound !== undefined) decipher.setAAD(bound);
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** The use of a sealed secret. It opens for the same use only. */
export interface SealBinding {
  purpose: 'webhook secret' | 'invitation';
  /** Row that the secret belongs to. */
  id: string;
  /** Mail address that the secret is sent to, for secrets that are sent. */
  recipient?: string;
}

/** Marks text that is bound to a {@link SealBinding}; earlier versions sealed without. */
const BOUND = 'b1';

/**
 * Encrypts secrets that must be read again, such as signing keys of outgoing events, so that a dump of the database does
 * not contain them: AES-256-GCM under a key for each purpose, with the whole binding as authenticated data. Sealed text is
 * `secretId:b1:base64url`; the id selects one of `ENCRYPTION_SECRETS`, whose first one seals and all open.
 */
@Injectable()
export class SealedSecrets {
  constructor(private readonly config: AppConfig) {}

  seal(binding: SealBinding, text: string): string {
    const { id, secret } = this.config.encryptionSecrets[0];
    const sealed = encrypt(keyFor(secret, binding.purpose), Buffer.from(text), bytesOf(binding));
    return `${id}:${BOUND}:${sealed.toString('base64url')}`;
  }

  /** @throws Error when the key is missing, or the text was changed or sealed for another use */
  open(binding: SealBinding, sealed: string): string {
    const [id = '', form, text = ''] = sealed.split(':');
    if (form !== BOUND) throw new Error('the sealed secret is not bound to its use');
    return this.decrypt(id, binding, text, bytesOf(binding));
  }

  /** As `open`, and also opens secrets that an earlier version sealed without a binding; for secrets without an expiry. */
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
