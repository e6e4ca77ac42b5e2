export { TestDeliveries } from './checkout/webhooks.js';
export {
  CheckoutModule,
  CheckoutWorkerModule,
  DeliveriesModule,
  DocumentsModule,
  OffersModule,
  PaymentsModule,
  PurchasesModule,
  PurchasesWorkerModule,
} from './commerce.modules.js';
export { offerEffectsSchema, type StoredOfferEffect, showEffect } from './offers/offer-effects.js';
export { OffersRepository } from './offers/offers.repository.js';
export { OffersService } from './offers/offers.service.js';
export { signBody } from './payments/incoming-payments.js';
export { InvoicesRepository } from './payments/invoices.repository.js';
export { PaymentProviders } from './payments/payment-providers.js';
export { STRIPE_API_VERSION } from './payments/stripe-provider.js';
export { TestBank } from './payments/test-provider.js';
export { PurchaseStartService } from './purchases/purchase-start.service.js';
export { PurchaseTimersService } from './purchases/purchase-timers.js';
export { PurchasesRepository } from './purchases/purchases.repository.js';
