import { Module } from '@nestjs/common';
import { RolloutsModule, TenantsModule } from '../../customers/index.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { PurchasesModule } from '../purchases/purchases.module.js';
import { CardPageRoutes } from './card-page.js';
import { EventReviewsResolver } from './event-reviews.resolver.js';
import { EventReviewsService } from './event-reviews.service.js';
import { TestClockResolver } from './test-clock.resolver.js';
import { TestClockService, TestClockWalk } from './test-clock.service.js';
import { TestDeliveries, TestProviderJob } from './test-deliveries.js';
import { WebhookIntake, WebhookRoutes } from './webhooks.js';

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
