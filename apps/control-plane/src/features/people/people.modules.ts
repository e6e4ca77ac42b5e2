import { Module } from '@nestjs/common';
import { CustomersModule } from '../customers/index.js';
import { SignInModule } from '../identity/index.js';
import { DeliverWebhooksJob, NoticesModule, WebhookDeliveriesModule } from '../notify/index.js';
import { AccountResolver, AccountService, PasswordResetService } from './account/account.js';
import { AccountRepository } from './account/account.repository.js';
import { MailSender, SendMailJob } from './delivery/mail-sender.js';
import { MailboxController } from './delivery/mailbox.controller.js';
import { MailsRepository } from './delivery/mails.repository.js';
import {
  DispatchNoticesJob,
  NoticeEvents,
  NoticeMails,
  NoticeRetentionJob,
} from './delivery/notices.jobs.js';
import {
  AcceptService,
  InvitationEffects,
  OpenInvitations,
  SignUpService,
} from './members/accept.service.js';
import { InvitationIssuer, InvitationLinks } from './members/invitation-issuer.js';
import { InvitationsRepository, MembersRepository } from './members/invitations.repository.js';
import { InvitationsService } from './members/invitations.service.js';
import {
  InvitationsResolver,
  MembersResolver,
  OperatorInvitationsResolver,
} from './members/members.resolver.js';
import { MembersService } from './members/members.service.js';
import { InviteeIdentity } from './members/visitor.js';

@Module({
  providers: [InvitationsRepository, InvitationLinks],
  exports: [InvitationsRepository, InvitationLinks],
})
export class InvitationLinksModule {}

@Module({
  imports: [CustomersModule, SignInModule, InvitationLinksModule],
  providers: [
    MembersRepository,
    InvitationIssuer,
    InvitationsService,
    OpenInvitations,
    InviteeIdentity,
    InvitationEffects,
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

@Module({
  imports: [SignInModule],
  providers: [AccountRepository, AccountService, PasswordResetService, AccountResolver],
})
export class AccountModule {}

@Module({
  imports: [InvitationLinksModule, SignInModule],
  providers: [MailsRepository, MailSender],
  controllers: [MailboxController],
})
export class MailboxModule {}

@Module({
  imports: [NoticesModule, InvitationLinksModule, SignInModule, WebhookDeliveriesModule],
  providers: [
    MailsRepository,
    MailSender,
    NoticeMails,
    NoticeEvents,
    DispatchNoticesJob,
    SendMailJob,
    DeliverWebhooksJob,
    NoticeRetentionJob,
  ],
})
export class DeliveryWorkerModule {}
