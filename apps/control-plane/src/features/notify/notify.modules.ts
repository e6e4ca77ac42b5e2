import { Module } from '@nestjs/common';
import { CustomersModule } from '../customers/index.js';
import { NoticeStreamResolver, NoticesResolver, NoticesService } from './notices/notices.js';
import { NoticesRepository } from './notices/notices.repository.js';
import { WebhookDeliveryService } from './webhooks/webhook-delivery.service.js';
import { WebhookSender } from './webhooks/webhook-sender.js';
import { WebhookDeliveriesRepository, WebhookEndpointsRepository } from './webhooks/webhooks.repository.js';
import { WebhooksResolver } from './webhooks/webhooks.resolver.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** Webhook endpoints and their delivery, without the job. */
@Module({
  providers: [WebhookEndpointsRepository, WebhookDeliveriesRepository, WebhookSender, WebhookDeliveryService],
  exports: [WebhookEndpointsRepository, WebhookDeliveriesRepository, WebhookSender, WebhookDeliveryService],
})
export class WebhookDeliveriesModule {}

@Module({
  imports: [WebhookDeliveriesModule, CustomersModule],
  providers: [WebhooksService, WebhooksResolver],
  exports: [WebhooksService],
})
export class WebhooksModule {}

@Module({
  imports: [CustomersModule],
  providers: [NoticesRepository, NoticesService, NoticesResolver, NoticeStreamResolver],
  exports: [NoticesRepository],
})
export class NoticesModule {}
