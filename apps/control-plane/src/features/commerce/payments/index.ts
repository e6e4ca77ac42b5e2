export { BillingClock, type BillingTime } from './billing-clock.js';
export {
  EventReviewsRepository,
  type PaymentEventReviewRow,
  type UnbookedEvent,
} from './event-reviews.repository.js';
export { IncomingPayments, type Posted, type Reading, type WebhookSource } from './incoming-payments.js';
export { type InvoiceRow, InvoicesRepository } from './invoices/invoices.repository.js';
export { PaymentCustomersRepository } from './payment-customers.repository.js';
export {
  type Checkout,
  type PaymentProvider,
  ProviderFailure,
} from './payment-provider.js';
export { PaymentProviders } from './payment-providers.js';
export { PaymentsModule } from './payments.module.js';
export { type PurchaseEvent, type PurchaseFact, purchaseFactSchema } from './purchase-fact.js';
export { STRIPE_API_VERSION } from './stripe/stripe-client.js';
export { TestBank } from './test-provider/test-bank.js';
export { TEST_CARDS } from './test-provider/test-cards.js';
export { TestClocksRepository } from './test-provider/test-clocks.repository.js';
export { TestEventsRepository } from './test-provider/test-events.repository.js';
export type { TestOrderRow } from './test-provider/test-orders.repository.js';
export { CARD_PAGE_PATH } from './test-provider/test-provider.js';
export { signBody } from './webhook-signature.js';
