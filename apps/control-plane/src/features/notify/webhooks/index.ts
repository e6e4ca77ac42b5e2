export { DeliverWebhooksJob } from './deliver-webhooks.job.js';
export { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
export { type WebhookEndpointRow, WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
export { WebhookDeliveriesModule, WebhooksModule } from './webhooks.module.js';
export { WebhooksResolver } from './webhooks.resolver.js';
export { WebhooksService } from './webhooks.service.js';
