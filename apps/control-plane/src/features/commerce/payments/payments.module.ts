import { Module } from '@nestjs/common';
import { BillingClock } from './billing-clock.js';
import { EventReviewsRepository } from './event-reviews.repository.js';
import { IncomingPayments } from './incoming-payments.js';
import { InvoiceProvider } from './invoices/invoice-provider.js';
import { InvoicesRepository } from './invoices/invoices.repository.js';
import { PaymentCustomersRepository } from './payment-customers.repository.js';
import { PaymentProviders } from './payment-providers.js';
import { StripeClient } from './stripe/stripe-client.js';
import { StripeEvents } from './stripe/stripe-events.js';
import { StripeProvider } from './stripe/stripe-provider.js';
import { TestBank } from './test-provider/test-bank.js';
import { TestClocksRepository } from './test-provider/test-clocks.repository.js';
import { TestEventsRepository } from './test-provider/test-events.repository.js';
import { TestOrdersRepository } from './test-provider/test-orders.repository.js';
import { TestProvider } from './test-provider/test-provider.js';

/** Who takes the money, and by which clock. Knows nothing of purchases but their ids. */
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
    TestClocksRepository,
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
    TestClocksRepository,
  ],
})
export class PaymentsModule {}
