import { Module } from '@nestjs/common';
import { TenantsModule } from '../../customers/index.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveryService } from './webhook-delivery.service.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhooksResolver } from './webhooks.resolver.js';
import { WebhooksService } from './webhooks.service.js';

/** Endpoints, deliveries and the way to send them, without anything that starts it. */
@Module({
  providers: [WebhookEndpointsRepository, WebhookDeliveriesRepository, WebhookSender, WebhookDeliveryService],
  exports: [WebhookEndpointsRepository, WebhookDeliveriesRepository, WebhookSender, WebhookDeliveryService],
})
export class WebhookDeliveriesModule {}

/** Endpoints for the GraphQL door. */
@Module({
  imports: [WebhookDeliveriesModule, TenantsModule],
  providers: [WebhooksService, WebhooksResolver],
  exports: [WebhooksService],
})
export class WebhooksModule {}
