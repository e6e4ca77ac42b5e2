import { Module } from '@nestjs/common';
import { InvitationLinks } from './invitation-links.js';

/** What writes and fills in the links of invitations. */
@Module({ providers: [InvitationLinks], exports: [InvitationLinks] })
export class InvitationLinksModule {}
