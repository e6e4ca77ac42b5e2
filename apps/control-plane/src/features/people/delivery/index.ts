export { DeliveryWorkerModule, MailboxModule } from './delivery.module.js';
