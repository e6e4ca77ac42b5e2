import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { randomBase62 } from '@tollgate/contracts/service-token';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../platform/clock.js';
import { type SealBinding, SealedSecrets } from '../../../platform/secrets.js';
import { InvitationsRepository } from './invitations.repository.js';
import { isOpen } from './members.graphql.js';

/** 190 random bits. */
const TOKEN_LENGTH = 32;

export interface InvitationToken {
  tokenHash: string;
  sealedToken: string;
}

/**
 * Creates links to accept invitations. The token is stored encrypted while the invitation is open, for the mail to the
 * invited address only.
 */
@Injectable()
export class InvitationLinks {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly secrets: SealedSecrets,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  issue(invitationId: string, recipient: string): InvitationToken {
    const token = randomBase62(TOKEN_LENGTH);
    const sealedToken = this.secrets.seal(bindingOf(invitationId, recipient), token);
    return { tokenHash: this.hash(token), sealedToken };
  }

  hash(token: string): string {
    return createHash('sha256').update(token).digest('hex');
  }

  /**
   * Undefined once the invitation is closed. The token is in the fragment, which browsers do not send to servers.
   * @throws Error for another recipient, or without the encryption secret
   */
  async find(invitationId: string, recipient: string): Promise<string | undefined> {
    const invitation = await this.invitations.findById(invitationId);
    if (invitation === null || invitation.sealedToken === null || !isOpen(invitation, this.clock.now()))
      return undefined;
    const token = this.secrets.open(bindingOf(invitationId, recipient), invitation.sealedToken);
    return `${this.config.publicOrigin}/invitation#${token}`;
  }
}

function bindingOf(id: string, recipient: string): SealBinding {
  return { purpose: 'invitation', id, recipient };
}
