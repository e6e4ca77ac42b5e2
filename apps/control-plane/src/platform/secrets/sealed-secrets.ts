import { hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { decrypt, encrypt } from './aead.js';

/**
 * Keeps secrets that have to be read again, such as signing keys of outgoing events, so that a dump of the database does
 * not give them away: AES-256-GCM under a key for each purpose. Sealed text names the key that it needs, so that
 * `ENCRYPTION_SECRETS` can be rotated: the first seals, all of them open.
 */
@Injectable()
export class SealedSecrets {
  constructor(private readonly config: AppConfig) {}

  /** @param purpose what opens it again must name the same */
  seal(purpose: string, text: string): string {
    const { id, secret } = this.config.encryptionSecrets[0];
    const sealed = encrypt(keyFor(secret, purpose), Buffer.from(text));
    return `${id}:${sealed.toString('base64url')}`;
  }

  /** @throws Error when the key is gone, or the text was changed or sealed for something else */
  open(purpose: string, sealed: string): string {
    const [id, text = ''] = sealed.split(':');
    const known = this.config.encryptionSecrets.find((candidate) => candidate.id === id);
    if (known === undefined) throw new Error(`ENCRYPTION_SECRETS has no secret "${id}" any more`);
    return decrypt(keyFor(known.secret, purpose), Buffer.from(text, 'base64url')).toString('utf8');
  }
}

function keyFor(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `tollgate ${purpose}`, 32));
}
