import { Module } from '@nestjs/common';
import { SignInModule } from '../../identity/index.js';
import { DeliverWebhooksJob, NoticesModule, WebhookDeliveriesModule } from '../../notify/index.js';
import { InvitationLinksModule } from '../members/invitation-links.module.js';
import { DispatchNoticesJob } from './dispatch-notices.job.js';
import { ForgetToldJob } from './forget-told.job.js';
import { MailSender } from './mail-sender.js';
import { MailboxController } from './mailbox.controller.js';
import { MailsRepository } from './mails.repository.js';
import { NoticeEvents } from './notice-events.js';
import { NoticeMails } from './notice-mails.js';
import { SendMailJob } from './send-mail.job.js';

/** The mailbox page. */
@Module({
  imports: [InvitationLinksModule, SignInModule],
  providers: [MailsRepository, MailSender],
  controllers: [MailboxController],
})
export class MailboxModule {}

/** What a process needs that makes mail and events of notices and sends them. */
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
    ForgetToldJob,
  ],
})
export class DeliveryWorkerModule {}
