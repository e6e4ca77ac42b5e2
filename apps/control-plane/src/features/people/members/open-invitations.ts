import { Injectable } from '@nestjs/common';
import { CurrentActors } from '../../../platform/access/current-actors.js';
import { mayGrant } from '../../../platform/access/grants.js';
import { userError } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import type { Tx } from '../../../platform/prisma/database.js';
import { grantOfInvitation, isOpen } from './invitation.rules.js';
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
    private readonly actors: CurrentActors,
    private readonly clock: Clock,
  ) {}

  async find(token: string): Promise<InvitationOfPlace | null> {
    const found = await this.invitations.findByHash(this.links.hash(token));
    return found !== null && (await this.isUsable(found)) ? found : null;
  }

  /** Uses it up; null where somebody else has meanwhile. Locked until the transaction ends. */
  async take(tx: Tx, token: string): Promise<InvitationRow | null> {
    const invitation = await this.invitations.lockByHash(tx, this.links.hash(token));
    if (invitation === null || !(await this.isUsable(invitation, tx))) return null;
    await this.invitations.accept(tx, invitation.id, this.clock.now());
    return invitation;
  }

  /** Open, and its inviter may still grant its role. Sign-ups have no inviter. */
  private async isUsable(invitation: InvitationOfPlace, tx?: Tx): Promise<boolean> {
    if (!isOpen(invitation, this.clock.now())) return false;
    const { inviterId, signUpKey, tenant } = invitation;
    if (signUpKey !== null) return true;
    const inviter = inviterId === null ? undefined : await this.actors.find(inviterId, tx);
    return inviter !== undefined && mayGrant(inviter, grantOfInvitation(invitation, tenant?.key));
  }
}
