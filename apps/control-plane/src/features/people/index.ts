export { InvitationLinks } from './members/invitation-issuer.js';
export { InvitationsRepository } from './members/invitations.repository.js';
export { InvitationsService } from './members/invitations.service.js';
export { AccountModule, DeliveryWorkerModule, MailboxModule, MembersModule } from './people.modules.js';
