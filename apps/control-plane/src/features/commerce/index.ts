export { CheckoutModule, CheckoutWorkerModule, DeliveriesModule } from './checkout/checkout.module.js';
export { EventReviewsResolver } from './checkout/event-reviews.resolver.js';
export { TestClockResolver } from './checkout/test-clock.resolver.js';
export { TestDeliveries } from './checkout/test-deliveries.js';
export {
  offerEffectsSchema,
  type StoredOfferEffect,
  showEffect,
} from './offers/offer-effects.js';
export { OffersModule } from './offers/offers.module.js';
export { OffersRepository } from './offers/offers.repository.js';
export { OffersResolver } from './offers/offers.resolver.js';
export { OffersService } from './offers/offers.service.js';
export { signBody } from './payments/incoming-payments.js';
export { InvoicesRepository } from './payments/invoices.repository.js';
export { PaymentProviders } from './payments/payment-providers.js';
export { PaymentsModule } from './payments/payments.module.js';
export { STRIPE_API_VERSION } from './payments/stripe-provider.js';
export { TestBank } from './payments/test-provider.js';
export { InvoicesResolver } from './purchases/invoices.resolver.js';
export { PurchaseStartService } from './purchases/purchase-start.service.js';
export { PurchaseTimersService } from './purchases/purchase-timers.js';
export { PurchasesModule, PurchasesWorkerModule } from './purchases/purchases.module.js';
export { PurchasesRepository } from './purchases/purchases.repository.js';
export { PurchaseChangesResolver, PurchasesResolver } from './purchases/purchases.resolver.js';
