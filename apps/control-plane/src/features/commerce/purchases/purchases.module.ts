import { Module } from '@nestjs/common';
import { EntitlementsModule, TenantsModule } from '../../customers/index.js';
import { OffersModule } from '../offers/offers.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { InvoicesResolver } from './invoices.resolver.js';
import { InvoicesService } from './invoices.service.js';
import { MoneyRepository } from './money.repository.js';
import { PortalService } from './portal.service.js';
import { PurchaseAccess } from './purchase-access.js';
import { PurchaseChangesResolver } from './purchase-changes.resolver.js';
import { PurchaseChangesService } from './purchase-changes.service.js';
import { PurchaseCheckout } from './purchase-checkout.js';
import { PurchaseDetails } from './purchase-details.js';
import { PurchaseDueService } from './purchase-due.service.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { PurchaseGrants } from './purchase-grants.js';
import { PurchaseHold } from './purchase-hold.js';
import { PurchaseOrders } from './purchase-orders.js';
import { PurchaseSettlement } from './purchase-settlement.js';
import { PurchaseStartService } from './purchase-start.service.js';
import { PurchaseStopRetryService } from './purchase-stop-retry.service.js';
import { PurchaseStops } from './purchase-stops.js';
import { PurchaseTurn } from './purchase-turn.js';
import { PurchasesJob } from './purchases.job.js';
import { PurchasesRepository } from './purchases.repository.js';
import { PurchasesResolver } from './purchases.resolver.js';
import { RenewalInvoices } from './renewal-invoices.js';

@Module({
  imports: [OffersModule, PaymentsModule, TenantsModule, EntitlementsModule],
  providers: [
    PurchasesRepository,
    MoneyRepository,
    PurchaseEventsService,
    PurchaseSettlement,
    PurchaseGrants,
    PurchaseHold,
    PurchaseOrders,
    PurchaseCheckout,
    PurchaseStartService,
    PurchaseTurn,
    PurchaseStops,
    PurchaseStopRetryService,
    PurchaseChangesService,
    PurchaseDueService,
    PurchaseAccess,
    PurchaseDetails,
    RenewalInvoices,
    InvoicesService,
    PortalService,
    PurchasesResolver,
    PurchaseChangesResolver,
    InvoicesResolver,
  ],
  exports: [
    PurchasesRepository,
    PurchaseEventsService,
    PurchaseStartService,
    PurchaseDueService,
    InvoicesService,
  ],
})
export class PurchasesModule {}

/** In a process that runs jobs. */
@Module({ imports: [PurchasesModule], providers: [PurchasesJob] })
export class PurchasesWorkerModule {}
