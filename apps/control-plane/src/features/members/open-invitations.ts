import { Injectable } from '@nestjs/common';
import { userError } from '../../platform/changes/outcome.js';
import { Clock } from '../../platform/clock/clock.js';
import { UserErrorCode } from '../../platform/graphql/user-error.graphql.js';
import type { Tx } from '../../platform/prisma/database.js';
import { isOpen } from './invitation.rules.js';
import { InvitationLinks } from './invitation-links.js';
import {
  type InvitationOfPlace,
  type InvitationRow,
  InvitationsRepository,
} from './invitations.repository.js';

/** What whoever holds a token that is good for nothing is told: not why. */
export const UNUSABLE = userError(
  UserErrorCode.INVALID,
  ['token'],
  'This invitation cannot be used: it is unknown, has expired, was used or was taken back. Ask for a new one.',
);

/** Invitations by the token of their link, as long as they can be used. */
@Injectable()
export class OpenInvitations {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly links: InvitationLinks,
    private readonly clock: Clock,
  ) {}

  async find(token: string): Promise<InvitationOfPlace | null> {
    const found = await this.invitations.findByHash(this.links.hash(token));
    return found !== null && isOpen(found, this.clock.now()) ? found : null;
  }

  /** Uses it up; null where somebody else has meanwhile. Locked until the transaction ends. */
  async take(tx: Tx, token: string): Promise<InvitationRow | null> {
    const invitation = await this.invitations.lockByHash(tx, this.links.hash(token));
    if (invitation === null || !isOpen(invitation, this.clock.now())) return null;
    await this.invitations.accept(tx, invitation.id, this.clock.now());
    return invitation;
  }
}
