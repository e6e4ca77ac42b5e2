import { Module } from '@nestjs/common';
import { RolloutsModule, TenantsModule } from '../../customers/index.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { PurchasesModule } from '../purchases/purchases.module.js';
import { CardPageRoutes } from './card-page.routes.js';
import { EventReviewsResolver } from './event-reviews.resolver.js';
import { EventReviewsService } from './event-reviews.service.js';
import { TestClockResolver } from './test-clock.resolver.js';
import { TestClockService } from './test-clock.service.js';
import { TestClockWalk } from './test-clock-walk.js';
import { TestDeliveries } from './test-deliveries.js';
import { TestProviderJob } from './test-provider.job.js';
import { WebhookRoutes } from './webhook.routes.js';
import { WebhookIntake } from './webhook-intake.js';

/** What the test provider needs to tell what it has done. */
@Module({
  imports: [PaymentsModule, PurchasesModule],
  providers: [WebhookIntake, TestDeliveries],
  exports: [WebhookIntake, TestDeliveries],
})
export class DeliveriesModule {}

/** Webhook and card page routes, and test clocks. */
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

/** In a process that runs jobs. */
@Module({ imports: [DeliveriesModule], providers: [TestProviderJob] })
export class CheckoutWorkerModule {}
