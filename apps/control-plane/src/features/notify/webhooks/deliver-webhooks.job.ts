import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { ScheduledJob } from '../../../platform/jobs/scheduled-job.js';
import { Log } from '../../../platform/logging/log.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveryService } from './webhook-delivery.service.js';

/** Deliveries in flight in one process. */
const MAX_IN_FLIGHT = 256;

/** Deliveries in flight of one tenant, over all processes. */
const MAX_PER_TENANT = 32;

/** Deliveries in flight to one endpoint, over all processes. */
const MAX_PER_ENDPOINT = 4;

/** A tenant gets this part of the free places at most, so that places stay free however many tenants have slow receivers. */
const TENANT_PART = 1 / 4;

/** A claim takes this part of the free places at most: it knows the tenants' parts as of its beginning. */
const CLAIM_PART = 1 / 2;

/**
 * Claims due deliveries and sends them. A run ends when there is nothing more to start; it does not wait for the receivers, so
 * the next run fills the places of the deliveries that have ended.
 */
@Injectable()
@ScheduledJob({ name: 'deliver-webhooks', everyMs: 500 })
export class DeliverWebhooksJob implements OnModuleDestroy {
  private readonly inFlight = new Set<Promise<void>>();
  private isClosing = false;

  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly delivery: WebhookDeliveryService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    while (!this.isClosing && this.inFlight.size < MAX_IN_FLIGHT) {
      const room = MAX_IN_FLIGHT - this.inFlight.size;
      const claimed = await this.deliveries.claim(this.clock.now(), {
        total: Math.ceil(room * CLAIM_PART),
        perTenant: Math.min(MAX_PER_TENANT, Math.ceil(room * TENANT_PART)),
        perEndpoint: MAX_PER_ENDPOINT,
      });
      if (claimed.length === 0) break;
      for (const one of claimed) {
        const attempt = this.delivery
          .attempt(one)
          .catch((error) => this.log.error({ err: error, delivery: one.id }, 'webhook outcome not recorded'))
          .finally(() => this.inFlight.delete(attempt));
        this.inFlight.add(attempt);
      }
    }
  }

  /** All attempts that are under way have ended. */
  async settle(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  /** What has begun is ended: an attempt has a time limit. */
  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    await this.settle();
  }
}
