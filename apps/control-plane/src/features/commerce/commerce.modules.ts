import { Module, type OnModuleInit } from '@nestjs/common';
import { TiersModule } from '../catalogue/index.js';
import { ArchiveGuards, EntitlementsModule, RolloutsModule, TenantsModule } from '../customers/index.js';
import { CardPageRoutes } from './checkout/card-page.js';
import { EventReviewsResolver, EventReviewsService } from './checkout/event-reviews.js';
import { TestClockResolver, TestClockService, TestClockWalk } from './checkout/test-clock.js';
import { TestDeliveries, TestProviderJob, WebhookIntake, WebhookRoutes } from './checkout/webhooks.js';
import { BillingDetailsResolver } from './documents/billing-details.resolver.js';
import { BillingDocuments, DocumentsController } from './documents/documents.controller.js';
import { OffersRepository } from './offers/offers.repository.js';
import { OffersResolver } from './offers/offers.resolver.js';
import { OfferCommands, OffersService } from './offers/offers.service.js';
import { BillingClock } from './payments/billing-clock.js';
import { IncomingPayments } from './payments/incoming-payments.js';
import { InvoicesRepository } from './payments/invoices.repository.js';
import { InvoiceProvider, PaymentProviders } from './payments/payment-providers.js';
import {
  BillingDetailsRepository,
  EventReviewsRepository,
  PaymentCustomersRepository,
  TestEventsRepository,
  TestOrdersRepository,
} from './payments/payments.repository.js';
import { StripeEvents } from './payments/stripe-events.js';
import { StripeClient, StripeProvider } from './payments/stripe-provider.js';
import { TestBank, TestProvider } from './payments/test-provider.js';
import { InvoicesResolver } from './purchases/invoices.resolver.js';
import { InvoicesService } from './purchases/invoices.service.js';
import { PortalService, PurchaseCheckout } from './purchases/payment-pages.js';
import { ProviderStops, PurchaseStopRetryService } from './purchases/provider-stops.js';
import { PurchaseAccess, PurchaseChangesService } from './purchases/purchase-changes.service.js';
import { PurchaseEventsService, PurchaseReconciler } from './purchases/purchase-events.service.js';
import { PurchaseOrders, PurchaseStartService } from './purchases/purchase-start.service.js';
import {
  PurchasesJob,
  PurchaseTimer,
  PurchaseTimersService,
  RenewalInvoices,
} from './purchases/purchase-timers.js';
import { PurchasesRepository } from './purchases/purchases.repository.js';
import {
  PurchaseChangesResolver,
  PurchaseDetails,
  PurchasesResolver,
} from './purchases/purchases.resolver.js';
import { RevenueResolver, RevenueService } from './purchases/revenue.js';
import { SpendCaps, SpendCapsResolver } from './purchases/spend-caps.js';

@Module({
  imports: [TiersModule],
  providers: [OffersRepository, OffersService, OfferCommands, OffersResolver],
  exports: [OffersRepository, OffersService],
})
export class OffersModule {}

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

@Module({
  imports: [OffersModule, PaymentsModule, TenantsModule, EntitlementsModule],
  providers: [
    PurchasesRepository,
    PurchaseReconciler,
    PurchaseEventsService,
    PurchaseOrders,
    SpendCaps,
    SpendCapsResolver,
    PurchaseCheckout,
    PurchaseStartService,
    PurchaseTimer,
    PurchaseTimersService,
    ProviderStops,
    PurchaseStopRetryService,
    PurchaseChangesService,
    PurchaseAccess,
    PurchaseDetails,
    RenewalInvoices,
    InvoicesService,
    PortalService,
    RevenueService,
    RevenueResolver,
    PurchasesResolver,
    PurchaseChangesResolver,
    InvoicesResolver,
  ],
  exports: [
    PurchasesRepository,
    PurchaseEventsService,
    PurchaseStartService,
    PurchaseTimersService,
    InvoicesService,
  ],
})
export class PurchasesModule implements OnModuleInit {
  constructor(
    private readonly guards: ArchiveGuards,
    private readonly purchases: PurchasesRepository,
  ) {}

  /** Archiving a tenant with open purchases requires `force`. */
  onModuleInit(): void {
    const count = this.purchases.countOpen.bind(this.purchases);
    this.guards.register({ what: 'open purchases', count });
  }
}

/** For processes that run jobs. */
@Module({ imports: [PurchasesModule], providers: [PurchasesJob] })
export class PurchasesWorkerModule {}

/** Billing details of tenants, and PDFs of their invoices and receipts. */
@Module({
  imports: [TenantsModule, PaymentsModule, PurchasesModule],
  providers: [BillingDetailsRepository, BillingDetailsResolver, BillingDocuments],
  controllers: [DocumentsController],
})
export class DocumentsModule {}

/** Delivers the events of the test provider. */
@Module({
  imports: [PaymentsModule, PurchasesModule],
  providers: [WebhookIntake, TestDeliveries],
  exports: [WebhookIntake, TestDeliveries],
})
export class DeliveriesModule {}

/** Webhooks, the test card page, event reviews and test clocks. */
@Module({
  imports: [PaymentsModule, PurchasesModule, TenantsModule, RolloutsModule, DeliveriesModule],
  providers: [
    WebhookRoutes,
    CardPageRoutes,
    TestClockWalk,
    TestClockService,
    TestClockResolver,
    EventReviewsService,
    EventReviewsResolver,
  ],
  exports: [TestClockService],
})
export class CheckoutModule {}

/** For processes that run jobs. */
@Module({ imports: [DeliveriesModule], providers: [TestProviderJob] })
export class CheckoutWorkerModule {}
