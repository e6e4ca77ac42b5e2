import { Module } from '@nestjs/common';
import { TenantsModule } from '../../customers/index.js';
import { SignInModule } from '../../identity/index.js';
import { AcceptService } from './accept.service.js';
import { InvitationIssuer } from './invitation-issuer.js';
import { InvitationLinksModule } from './invitation-links.module.js';
import { InvitationsResolver } from './invitations.resolver.js';
import { InvitationsService } from './invitations.service.js';
import { InviteeIdentity } from './invitee-identity.js';
import { Joining } from './joining.js';
import { MembersRepository } from './members.repository.js';
import { MembersResolver } from './members.resolver.js';
import { MembersService } from './members.service.js';
import { OpenInvitations } from './open-invitations.js';
import { OperatorInvitationsResolver } from './operator-invitations.resolver.js';
import { SignUpService } from './sign-up.service.js';

@Module({
  imports: [TenantsModule, SignInModule, InvitationLinksModule],
  providers: [
    MembersRepository,
    InvitationIssuer,
    InvitationsService,
    OpenInvitations,
    InviteeIdentity,
    Joining,
    AcceptService,
    SignUpService,
    MembersService,
    MembersResolver,
    InvitationsResolver,
    OperatorInvitationsResolver,
  ],
  exports: [InvitationLinksModule, InvitationsService],
})
export class MembersModule {}
