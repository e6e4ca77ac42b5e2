export { CheckoutModule, CheckoutWorkerModule, DeliveriesModule } from './checkout.module.js';
export { TestClockResolver } from './test-clock.resolver.js';

export { TestDeliveries } from './test-deliveries.js';
