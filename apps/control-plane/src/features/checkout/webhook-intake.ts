import { Injectable } from '@nestjs/common';
import { type Caller, jobActor } from '../../platform/access/actor.js';
import { Log } from '../../platform/logging/log.js';
import { runInScope } from '../../platform/scope/tenant-scope.js';
import { IncomingPayments, type Posted, type WebhookSource } from '../payments/index.js';
import { PurchaseEventsService } from '../purchases/index.js';

export interface WebhookAnswer {
  status: number;
  /** For the provider's log of deliveries. */
  outcome: string;
}

/** Takes what providers post. */
@Injectable()
export class WebhookIntake {
  constructor(
    private readonly incoming: IncomingPayments,
    private readonly events: PurchaseEventsService,
    private readonly log: Log,
  ) {}

  /**
   * Verifies, reads and takes an event. 2xx means that it is committed, now or earlier, or is none of ours; anything else
   * asks the provider to post it again.
   */
  async take(source: WebhookSource, posted: Posted, requestId: string): Promise<WebhookAnswer> {
    try {
      // Nobody is signed in: the signature is what allows it.
      return await runInScope('all', () => this.takeVerified(source, posted, requestId));
    } catch (error) {
      this.log.error({ err: error, source, requestId }, 'An event of a payment provider could not be taken');
      return { status: 500, outcome: 'failed' };
    }
  }

  private async takeVerified(
    source: WebhookSource,
    posted: Posted,
    requestId: string,
  ): Promise<WebhookAnswer> {
    const reading = await this.incoming.read(source, posted);
    if (reading.kind === 'refused') {
      this.log.warn(
        { source, requestId, verdict: reading.verdict },
        'An event of a payment provider was refused',
      );
      return { status: reading.verdict === 'disabled' ? 404 : 400, outcome: reading.verdict };
    }
    if (reading.kind === 'ignored') return { status: 200, outcome: 'ignored' };
    const { purchaseId, event } = reading;
    const caller: Caller = { actor: { ...jobActor(source), label: `webhook ${source}` }, requestId };
    const verdict = await this.events.take(caller, purchaseId, event);
    if (verdict === 'unknown')
      this.log.warn({ source, requestId, purchaseId }, 'An event is about no purchase of ours');
    return { status: 200, outcome: verdict };
  }
}
