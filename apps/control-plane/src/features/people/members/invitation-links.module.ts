import { Module } from '@nestjs/common';
import { InvitationLinks } from './invitation-links.js';
import { InvitationsRepository } from './invitations.repository.js';

/** Invitations and their links, for the sender of mail. */
@Module({
  providers: [InvitationsRepository, InvitationLinks],
  exports: [InvitationsRepository, InvitationLinks],
})
export class InvitationLinksModule {}
