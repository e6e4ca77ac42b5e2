import { Module, type OnModuleInit } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/index.js';
import { ArchiveGuards, CustomersModule } from '../customers/index.js';
import { AutoTopUpJob, AutoTopUpOrders } from './auto-top-ups/auto-top-up.job.js';
import { AutoTopUpsRepository } from './auto-top-ups/auto-top-ups.repository.js';
import { AutoTopUpsResolver } from './auto-top-ups/auto-top-ups.resolver.js';
import { AutoTopUpFactsService, AutoTopUpsService } from './auto-top-ups/auto-top-ups.service.js';
import { PaymentCardsService } from './auto-top-ups/payment-cards.service.js';
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
  TestSavedCardsRepository,
} from './payments/payments.repository.js';
import { StripeClient } from './payments/stripe-client.js';
import { StripeEvents } from './payments/stripe-events.js';
import { StripeProvider } from './payments/stripe-provider.js';
import { TestBank, TestProvider } from './payments/test-provider.js';
import { InvoicesResolver } from './purchases/invoices.resolver.js';
import { InvoicesService } from './purchases/invoices.service.js';
import { PortalService, PurchaseCheckout } from './purchases/payment-pages.js';
import { ProviderStops, PurchaseStopRetryService } from './purchases/provider-stops.js';
import { PurchaseAccess, PurchaseChangesService } from './purchases/purchase-changes.service.js';
import { PurchaseEffectsService } from './purchases/purchase-effects.service.js';
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

const PROVIDERS = [
  OffersRepository,
  OffersService,
  OfferCommands,
  OffersResolver,
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
  TestSavedCardsRepository,
  TestEventsRepository,
  PurchasesRepository,
  PurchaseEffectsService,
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
  AutoTopUpsRepository,
  AutoTopUpFactsService,
  AutoTopUpsService,
  AutoTopUpOrders,
  PaymentCardsService,
  AutoTopUpsResolver,
  BillingDetailsRepository,
  BillingDetailsResolver,
  BillingDocuments,
  WebhookIntake,
  TestDeliveries,
  TestClockWalk,
  TestClockService,
  TestClockResolver,
  EventReviewsService,
  EventReviewsResolver,
];

/** Offers, payments, purchases and billing documents, without HTTP routes and jobs. */
@Module({ imports: [CatalogueModule, CustomersModule], providers: PROVIDERS, exports: PROVIDERS })
export class CommerceModule implements OnModuleInit {
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

/** PDFs of invoices, webhooks of payment providers and the test card page. */
@Module({
  imports: [CommerceModule],
  providers: [WebhookRoutes, CardPageRoutes],
  controllers: [DocumentsController],
})
export class CommerceRoutesModule {}

@Module({ imports: [CommerceModule], providers: [PurchasesJob, TestProviderJob, AutoTopUpJob] })
export class CommerceWorkerModule {}
