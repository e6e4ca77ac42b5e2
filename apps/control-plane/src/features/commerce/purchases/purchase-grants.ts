import { Injectable } from '@nestjs/common';
import type { Change } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { EntitlementCause, OfferKind, PurchaseStatus } from '../../../platform/prisma/schema.js';
import { EntitlementsService } from '../../customers/index.js';
import { offerEffectsSchema } from '../offers/offer.effects.js';
import type { BillingTime } from '../payments/billing-clock.js';
import type { Standing } from './purchase.standing.js';
import type { PurchaseOfTenant } from './purchases.repository.js';

/** What of a purchase is in force, in real time. */
type Granted = Pick<PurchaseOfTenant, 'grantedSince' | 'grantedUntil'>;

/** Brings the ledger of entitlements to what a purchase has paid for. */
@Injectable()
export class PurchaseGrants {
  constructor(
    private readonly entitlements: EntitlementsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Grants what is to be in force and is not, and ends what is and ought not to be. Nodes live in real time: to a tenant on a
   * test clock they are not told when it ends, it is ended when its clock gets there.
   * @throws TooManyAdjustments
   */
  async sync(
    change: Change,
    purchase: PurchaseOfTenant,
    { grant, status }: Standing,
    { isTest }: BillingTime,
  ): Promise<Granted> {
    const { grantedSince, grantedUntil } = purchase;
    if (grant === null) {
      if (grantedSince !== null) await this.end(change, purchase, this.clock.now(), causeOfEnd(status));
      return { grantedSince: null, grantedUntil: null };
    }
    const until = isTest ? null : grant.until;
    if (grantedSince === null) return this.grant(change, purchase, until, EntitlementCause.PURCHASE);
    if (until?.getTime() === grantedUntil?.getTime()) return { grantedSince, grantedUntil };
    if (until !== null && (grantedUntil === null || until < grantedUntil)) {
      await this.end(change, purchase, until, EntitlementCause.CANCELLED);
      return { grantedSince, grantedUntil: until };
    }
    await this.end(change, purchase, this.clock.now(), EntitlementCause.REPLACED);
    return this.grant(change, purchase, until, EntitlementCause.RENEWAL);
  }

  private async grant(
    change: Change,
    purchase: PurchaseOfTenant,
    endsAt: Date | null,
    cause: EntitlementCause,
  ): Promise<Granted> {
    const { id: purchaseId, label, carryOver, tenant } = purchase;
    const startsAt = this.clock.now();
    const source = purchase.kind === OfferKind.TOPUP ? 'topup' : 'upgrade';
    const effects = offerEffectsSchema.parse(purchase.effects);
    const facts = { source, cause, purchaseId, label, effects, startsAt, endsAt, carryOver } as const;
    await this.entitlements.grant(change, tenant, facts);
    return { grantedSince: startsAt, grantedUntil: endsAt };
  }

  private async end(
    change: Change,
    { id: purchaseId, tenant }: PurchaseOfTenant,
    at: Date,
    cause: EntitlementCause,
  ): Promise<void> {
    await this.entitlements.end(change, tenant, { which: { purchaseId }, at, cause });
  }
}

function causeOfEnd(status: PurchaseStatus): EntitlementCause {
  if (status === PurchaseStatus.REFUNDED) return EntitlementCause.REFUNDED;
  if (status === PurchaseStatus.DISPUTED) return EntitlementCause.DISPUTED;
  return EntitlementCause.PAYMENT_FAILED;
}
