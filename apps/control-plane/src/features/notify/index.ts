export { eventOf, mailsOf, type NoticeMail } from './notices/notice-messages.js';
export { type NoticeRow, NoticesRepository } from './notices/notices.repository.js';
export { NoticesModule, WebhookDeliveriesModule, WebhooksModule } from './notify.modules.js';
export { DeliverWebhooksJob } from './webhooks/webhook-delivery.service.js';
export {
  WebhookDeliveriesRepository,
  type WebhookEndpointRow,
  WebhookEndpointsRepository,
} from './webhooks/webhooks.repository.js';
export { WebhooksService } from './webhooks/webhooks.service.js';
