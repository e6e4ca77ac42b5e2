export { CheckoutModule, CheckoutWorkerModule, DeliveriesModule } from './checkout.module.js';
export { EventReviewsResolver } from './event-reviews.resolver.js';
export { TestClockResolver } from './test-clock.resolver.js';

export { TestDeliveries } from './test-deliveries.js';
