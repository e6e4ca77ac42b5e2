import { Module } from '@nestjs/common';
import { BillingClock } from './billing-clock.js';
import { IncomingPayments } from './incoming-payments.js';
import { InvoiceProvider } from './invoice-provider.js';
import { InvoicesRepository } from './invoices.repository.js';
import { PaymentProviders } from './payment-providers.js';
import { EventReviewsRepository, PaymentCustomersRepository } from './payments.repository.js';
import { StripeEvents } from './stripe-events.js';
import { StripeClient, StripeProvider } from './stripe-provider.js';
import { TestBank, TestProvider } from './test-provider.js';
import { TestEventsRepository, TestOrdersRepository } from './test-provider.repository.js';

/** Payment providers, invoices and billing time. Purchases are known by id only. */
@Module({
  providers: [
    BillingClock,
    PaymentProviders,
    PaymentCustomersRepository,
    IncomingPayments,
    EventReviewsRepository,
    StripeClient,
    StripeProvider,
    StripeEvents,
    InvoiceProvider,
    InvoicesRepository,
    TestProvider,
    TestBank,
    TestOrdersRepository,
    TestEventsRepository,
  ],
  exports: [
    BillingClock,
    PaymentProviders,
    PaymentCustomersRepository,
    IncomingPayments,
    EventReviewsRepository,
    InvoicesRepository,
    TestBank,
    TestEventsRepository,
  ],
})
export class PaymentsModule {}
