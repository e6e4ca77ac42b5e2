export { eventOf, mailsOf, type NoticeMail } from './notices/notice-dispatch.js';
export { NoticeStreamResolver } from './notices/notice-stream.resolver.js';
export { NoticesModule } from './notices/notices.module.js';
export { type NoticeRow, NoticesRepository } from './notices/notices.repository.js';
export { NoticesResolver } from './notices/notices.resolver.js';
export { DeliverWebhooksJob } from './webhooks/deliver-webhooks.job.js';
export { WebhookDeliveriesRepository } from './webhooks/webhook-deliveries.repository.js';
export {
  type WebhookEndpointRow,
  WebhookEndpointsRepository,
} from './webhooks/webhook-endpoints.repository.js';
export { WebhookDeliveriesModule, WebhooksModule } from './webhooks/webhooks.module.js';
export { WebhooksResolver } from './webhooks/webhooks.resolver.js';
export { WebhooksService } from './webhooks/webhooks.service.js';
