import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '../../../config/app-config.js';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { PaymentProviderName } from '../../../platform/prisma/schema.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import {
  IncomingPayments,
  type Posted,
  type Reading,
  signBody,
  type WebhookSource,
} from '../payments/incoming-payments.js';
import {
  EventReviewsRepository,
  TestEventsRepository,
  type UnbookedEvent,
} from '../payments/payments.repository.js';
import { TestBank } from '../payments/test-provider.js';
import { PurchaseEventsService } from '../purchases/purchase-events.service.js';
import { PurchasesRepository } from '../purchases/purchases.repository.js';

export interface WebhookAnswer {
  status: number;
  /** For the provider's log of deliveries. */
  outcome: string;
}

const PROVIDERS: Record<WebhookSource, PaymentProviderName> = {
  stripe: PaymentProviderName.STRIPE,
  test: PaymentProviderName.TEST,
};

/** Books the events of payment providers. */
@Injectable()
export class WebhookIntake {
  constructor(
    private readonly incoming: IncomingPayments,
    private readonly events: PurchaseEventsService,
    private readonly purchases: PurchasesRepository,
    private readonly reviews: EventReviewsRepository,
    private readonly changes: ChangeRunner,
    private readonly log: Log,
  ) {}

  /**
   * Verifies, reads and books an event. 2xx: it is committed (booked, or recorded for review), or changes no purchase of
   * ours. Any other status makes the provider post it again.
   */
  async take(source: WebhookSource, posted: Posted, requestId: string): Promise<WebhookAnswer> {
    try {
      // There is no session: the signature authorizes the event.
      return await runInScope('all', async () => {
        const reading = await this.incoming.read(source, posted);
        return this.book(
          { actor: { ...jobActor(source), label: `webhook ${source}` }, requestId },
          source,
          reading,
        );
      });
    } catch (error) {
      this.log.error({ err: error, source, requestId }, 'payment event failed');
      return { status: 500, outcome: 'failed' };
    }
  }

  /** Books an event that was read, which closes its review if it had one; or records it for review. */
  async book(caller: Caller, source: WebhookSource, reading: Reading): Promise<WebhookAnswer> {
    const { requestId } = caller;
    if (reading.kind === 'refused') {
      const { verdict, reason } = reading;
      this.log.warn({ source, requestId, verdict, reason }, 'payment event rejected');
      return { status: verdict === 'disabled' ? 404 : 400, outcome: verdict };
    }
    if (reading.kind === 'ignored') return { status: 200, outcome: 'ignored' };
    if (reading.kind === 'review') {
      await this.recordForReview(caller, reading.unbooked);
      // Not 2xx: Stripe shows its owner a failing endpoint, and posts the event again after an upgrade.
      if (reading.isUnsupported) return { status: 400, outcome: 'unsupported-version' };
      return { status: 200, outcome: 'needs-review' };
    }
    const provider = PROVIDERS[source];
    const { purchase, event } = reading;
    const purchaseId =
      'id' in purchase
        ? purchase.id
        : await this.purchases.findIdBySubscription(provider, purchase.subscription);
    if (purchaseId === null) return { status: 200, outcome: 'ignored' };
    const verdict = await this.events.book(caller, purchaseId, event);
    if (verdict === 'unknown')
      this.log.warn({ source, requestId, purchaseId }, 'payment event matches no purchase');
    else await this.reviews.closeBooked(provider, event.id);
    return { status: 200, outcome: verdict };
  }

  private async recordForReview(caller: Caller, event: UnbookedEvent): Promise<void> {
    const { provider, eventId, type, apiVersion, problem } = event;
    this.log.error({ provider, eventId, type, apiVersion, problem }, 'payment event needs review');
    await this.changes.run(caller, { reason: null }, async (change) => {
      const { row, isNew } = await this.reviews.record(change.tx, event);
      if (!isNew) return row;
      await change.notify({ kind: 'payment.needs_review', data: { provider, eventId, type, problem } });
      await change.audit({
        action: 'payment_event.needs_review',
        entityId: row.id,
        entityName: eventId,
        before: null,
        after: { provider, eventId, type, apiVersion, problem },
      });
      return row;
    });
  }
}

/** Stripe invoices with many lines exceed the default limit. */
const MAX_EVENT_BYTES = 512 * 1024;

const SIGNATURE_HEADERS: Record<WebhookSource, string> = {
  stripe: 'stripe-signature',
  test: 'tollgate-signature',
};

/** Routes to which providers post events. The signature over the raw body authorizes a request. */
@Injectable()
export class WebhookRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly intake: WebhookIntake,
  ) {}

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    // Not awaited: otherwise the routes would start before Nest has installed its error handler.
    void fastify.register(async (routes) => {
      // Only these routes keep bodies as bytes, for the signature.
      routes.removeAllContentTypeParsers();
      routes.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      for (const source of ['stripe', 'test'] as const) {
        routes.post(`/webhooks/${source}`, { bodyLimit: MAX_EVENT_BYTES }, (request, reply) =>
          this.take(source, request, reply),
        );
      }
    });
  }

  private async take(
    source: WebhookSource,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    // Node joins repeated headers with commas; a second signature header would look like a second candidate.
    const signatures = request.raw.headersDistinct[SIGNATURE_HEADERS[source]] ?? [];
    const { status, outcome } = await this.intake.take(source, { signatures, body }, request.id);
    return reply.status(status).header('Cache-Control', 'no-store').send({ outcome });
  }
}

const BATCH = 100;

/** Signs the events of the test provider and posts them to the webhook intake. */
@Injectable()
export class TestDeliveries {
  constructor(
    private readonly bank: TestBank,
    private readonly events: TestEventsRepository,
    private readonly intake: WebhookIntake,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /** Charges due renewals and delivers pending events, of all tenants or of one. */
  async run(tenantId?: string): Promise<void> {
    if (!this.config.payments.test.enabled) return;
    while ((await this.bank.chargeDue(this.clock.now(), tenantId, BATCH)) === BATCH);
    await this.deliver(tenantId);
  }

  /** Delivers pending events. A rejected event stays pending for the next run. */
  async deliver(tenantId?: string): Promise<void> {
    const { test } = this.config.payments;
    if (!test.enabled) return;
    for (const { id, body } of await this.events.listUndelivered(tenantId, BATCH)) {
      const bytes = Buffer.from(body);
      const signatures = [signBody(bytes, test.webhookSecret, this.clock.now().getTime())];
      const { status } = await this.intake.take('test', { signatures, body: bytes }, newId('request'));
      if (status === 200) await this.events.markDelivered(id, this.clock.now());
    }
  }
}

/** Charges renewals of test cards, and delivers events left over after a crash. */
@Injectable()
@ScheduledJob({ name: 'test-provider', everyMs: 2000 })
export class TestProviderJob implements Job {
  constructor(private readonly deliveries: TestDeliveries) {}

  run(): Promise<void> {
    return this.deliveries.run();
  }
}
