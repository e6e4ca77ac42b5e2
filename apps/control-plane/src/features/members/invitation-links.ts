import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '@tollgate/contracts/service-token';
import { AppConfig } from '../../config/app-config.js';
import { SealedSecrets } from '../../platform/secrets/sealed-secrets.js';

/** 190 random bits. */
const TOKEN_LENGTH = 32;

const PURPOSE = 'invitation';

/** Stands in a stored mail for a link that only its reader is to see. */
export const placeholder = (sealed: string) => `{{invitation ${sealed}}}`;

const PLACEHOLDER = /\{\{invitation ([A-Za-z0-9:_-]+)\}\}/g;

/** A new invitation's token: sent once, kept as a hash and, until the mail is written, sealed. */
export interface InvitationToken {
  hash: string;
  /** What a notice may hold. */
  sealed: string;
}

/** Makes the links that invitations are accepted by. */
@Injectable()
export class InvitationLinks {
  constructor(
    private readonly secrets: SealedSecrets,
    private readonly config: AppConfig,
  ) {}

  issue(): InvitationToken {
    const token = randomBase62(TOKEN_LENGTH);
    return { hash: this.hash(token), sealed: this.secrets.seal(PURPOSE, token) };
  }

  hash(token: string): string {
    return createHash('sha256').update(token).digest('hex');
  }

  /** The token in a notice's `sealedToken`. @throws Error when it cannot be opened any more */
  open(sealed: string): string {
    return this.secrets.open(PURPOSE, sealed);
  }

  /** A stored mail as its reader gets it. */
  fill(text: string): string {
    return text.replace(PLACEHOLDER, (_, sealed: string) => this.url(sealed));
  }

  /** Where an invitation is accepted. The token stands behind the `#`, which no server and no log gets to see. */
  url(sealed: string): string {
    return `${this.config.publicOrigin}/invitation#${this.open(sealed)}`;
  }
}
