import { Module, type OnModuleInit } from '@nestjs/common';
import { ArchiveGuards, EntitlementsModule, TenantsModule } from '../../customers/index.js';
import { OffersModule } from '../offers/offers.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { InvoicesResolver } from './invoices.resolver.js';
import { InvoicesService } from './invoices.service.js';
import { PortalService, PurchaseCheckout } from './payment-pages.js';
import { ProviderStops, PurchaseStopRetryService } from './provider-stops.js';
import { PurchaseAccess, PurchaseChangesService } from './purchase-changes.service.js';
import { PurchaseEventsService, PurchaseReconciler } from './purchase-events.service.js';
import { PurchaseOrders, PurchaseStartService } from './purchase-start.service.js';
import { PurchasesJob, PurchaseTimer, PurchaseTimersService, RenewalInvoices } from './purchase-timers.js';
import { PurchasesRepository } from './purchases.repository.js';
import { PurchaseChangesResolver, PurchaseDetails, PurchasesResolver } from './purchases.resolver.js';
import { RevenueResolver, RevenueService } from './revenue.js';
import { SpendCaps, SpendCapsResolver } from './spend-caps.js';

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
