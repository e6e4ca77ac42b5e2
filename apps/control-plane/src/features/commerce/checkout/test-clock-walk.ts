import { Injectable } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { newId } from '../../../platform/ids.js';
import { RolloutsService } from '../../customers/index.js';
import type { BillingTime } from '../payments/billing-clock.js';
import { TestClocksRepository } from '../payments/test-provider/test-clocks.repository.js';
import { PurchaseDueService } from '../purchases/purchase-due.service.js';
import { PurchasesRepository } from '../purchases/purchases.repository.js';
import { TestDeliveries } from './test-deliveries.js';

/** Moments on the way at which something is due; a purchase has a few in a month. */
const MAX_STEPS = 1000;

/** Takes a tenant's test clock from moment to moment and does at each what is due then. */
@Injectable()
export class TestClockWalk {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly clocks: TestClocksRepository,
    private readonly deliveries: TestDeliveries,
    private readonly due: PurchaseDueService,
    private readonly rollouts: RolloutsService,
  ) {}

  /** Whether nothing of the tenant's is charged by somebody else's clock. */
  async isPossible(tenantId: string): Promise<boolean> {
    return !(await this.purchases.hasLive(tenantId, 'STRIPE'));
  }

  /** From where the tenant's time stood to `to`. When it returns, all that was due on the way has happened. */
  async run(tenantId: string, from: BillingTime, to: Date): Promise<void> {
    if (!from.isTest) await this.due.settleAll(tenantId);
    let { now } = from;
    for (let step = 0; step < MAX_STEPS && now < to; step++) {
      // What is due already and stays so cannot be done now: it is not waited for.
      const next = (await this.listMoments(tenantId)).filter((at) => at > now && at < to);
      now = new Date(Math.min(...[...next, to].map((at) => at.getTime())));
      await this.clocks.advance(tenantId, now);
      await this.deliveries.run(tenantId);
      await this.due.run(tenantId);
      // What the provider was told just now, it tells back.
      await this.deliveries.deliver(tenantId);
      await this.rollouts.moveDue(
        { actor: jobActor('follow-tiers'), requestId: newId('request') },
        1,
        tenantId,
      );
    }
  }

  private async listMoments(tenantId: string): Promise<Date[]> {
    const moments = [await this.purchases.findNextDue(tenantId), await this.rollouts.findFollowsAt(tenantId)];
    return moments.filter((at) => at !== null);
  }
}
