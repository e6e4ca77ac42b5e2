import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Log } from '../../../platform/log.js';
import { PurchaseStops } from './purchase-stops.js';
import { PurchaseTurn } from './purchase-turn.js';
import { PurchasesRepository } from './purchases.repository.js';

/** Purchases in one go; what is left over is there at the next one. */
const BATCH = 200;

/** Does what time alone brings about: orders lapse, grace and top-ups end, invoices go out, providers are told to stop. */
@Injectable()
export class PurchaseDueService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly turn: PurchaseTurn,
    private readonly stops: PurchaseStops,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Everything that is due; of one tenant, where one is named. One that fails is left for the next run. */
  async run(tenantId?: string): Promise<number> {
    return this.advanceAll(await this.purchases.listDue(this.clock.now(), tenantId, BATCH));
  }

  /** All that a tenant has in force, when its time is counted by another clock than before. */
  async settleAll(tenantId: string): Promise<void> {
    await this.advanceAll(await this.purchases.listGranted(tenantId));
  }

  private async advanceAll(ids: string[]): Promise<number> {
    for (const id of ids) {
      try {
        const purchase = await this.turn.advance(id);
        if (purchase !== null) await this.stops.attempt(purchase);
      } catch (error) {
        this.log.error({ err: error, purchaseId: id }, 'A purchase could not be advanced');
      }
    }
    return ids.length;
  }
}
