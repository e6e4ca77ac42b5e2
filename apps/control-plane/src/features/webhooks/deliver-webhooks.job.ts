import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { ScheduledJob } from '../../platform/jobs/scheduled-job.js';
import { Log } from '../../platform/logging/log.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveryService } from './webhook-delivery.service.js';

/** Attempts that one process makes at once. */
const MAX_IN_FLIGHT = 64;

/** Attempts at once for one endpoint, over all processes. */
const MAX_PER_ENDPOINT = 4;

/**
 * Takes what is due and sends it. A run ends as soon as there is nothing more to start: attempts that wait for a slow
 * receiver go on meanwhile, and do not keep the next run from filling the places of those that have ended.
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
      const claimed = await this.deliveries.claim(this.clock.now(), room, MAX_PER_ENDPOINT);
      if (claimed.length === 0) break;
      for (const one of claimed) {
        const attempt = this.delivery
          .attempt(one)
          .catch((error) =>
            this.log.error({ err: error, delivery: one.id }, 'An attempt could not be recorded'),
          )
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
