import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { newId } from '../../../platform/ids.js';
import { PurchaseStatus } from '../../../platform/prisma/schema.js';
import { TooManyAdjustments } from '../../customers/index.js';
import { BillingClock } from '../payments/billing-clock.js';
import { ProviderFailure } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import type { PurchaseFact } from '../payments/purchase-fact.js';
import { foldPurchase } from './purchase.fold.js';
import { orderOf } from './purchase.order.js';
import { paymentDecisionSchema, purchaseChangeSchema, purchaseRefundSchema } from './purchase.rules.js';
import { PurchaseAccess } from './purchase-access.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import type { PaymentDecisionInput, PurchaseCancelInput, PurchaseRefundInput } from './purchases.graphql.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';

type PurchaseOutcome = Promise<Outcome<PurchaseOfTenant>>;

/** What people do to purchases. Where money is concerned, the provider does it first; what it tells is taken like any event. */
@Injectable()
export class PurchaseChangesService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly access: PurchaseAccess,
    private readonly events: PurchaseEventsService,
    private readonly providers: PaymentProviders,
    private readonly changes: ChangeRunner,
    private readonly billing: BillingClock,
  ) {}

  /** Stops the renewal at the end of what is paid; gives up an order that is not. Refused: NOT_FOUND, INVALID. */
  async cancel(caller: Caller, input: PurchaseCancelInput): PurchaseOutcome {
    const parsed = parseInput(purchaseChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { purchaseId, reason } = parsed.data;
    const purchase = await this.access.find(caller.actor, purchaseId, 'purchases:write');
    if (purchase === null) return refuse([noPurchase(purchaseId)]);
    const isUnpaid = purchase.status === PurchaseStatus.PENDING;
    if (!isUnpaid && !purchase.renews) {
      return refuse([invalid(['purchaseId'], 'It does not renew, so there is nothing to stop.')], purchase);
    }
    if (isUnpaid) return this.record(caller, purchase, { type: 'expired' }, reason);
    return this.asking(caller, purchase, async () => {
      await this.providers.find(purchase.provider)?.stopRenewal({ ...purchase, purchaseId });
      return this.record(caller, purchase, { type: 'renewal_stopped' }, reason);
    });
  }

  /** Gives money of a payment back, all that is left of it unless an amount is named. Refused: NOT_FOUND, INVALID. */
  async refund(caller: Caller, input: PurchaseRefundInput): PurchaseOutcome {
    const parsed = parseInput(purchaseRefundSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { purchaseId, reason } = parsed.data;
    const purchase = await this.access.find(caller.actor, purchaseId, 'payments:write');
    if (purchase === null) return refuse([noPurchase(purchaseId)]);
    const payments = await this.paymentsOf(purchase);
    const ref = parsed.data.payment ?? payments.findLast(({ standing }) => standing === 'ACCEPTED')?.ref;
    const payment = payments.find((one) => one.ref === ref);
    if (payment === undefined)
      return refuse([notFound(['payment'], 'such payment of this purchase')], purchase);
    const leftMinor = payment.amountMinor - payment.refundedMinor - payment.disputedMinor;
    const amountMinor = parsed.data.amountMinor ?? leftMinor;
    if (leftMinor === 0 || amountMinor > leftMinor) {
      const message = `${leftMinor} of this payment are left to give back.`;
      return refuse([invalid(['amountMinor'], message)], purchase);
    }
    if (caller.dryRun === true) return { ok: true, value: purchase, changeId: null, impact: null };
    return this.giveBack(caller, purchase, payment, amountMinor, reason);
  }

  /** Takes a payment that was held for what was ordered. Refused: NOT_FOUND, INVALID. */
  release(caller: Caller, input: PaymentDecisionInput): PurchaseOutcome {
    return this.decide(caller, input, 'released');
  }

  /** Gives a payment that was held back; nothing is granted for it. Refused: NOT_FOUND, INVALID. */
  reject(caller: Caller, input: PaymentDecisionInput): PurchaseOutcome {
    return this.decide(caller, input, 'rejected');
  }

  private async decide(
    caller: Caller,
    input: PaymentDecisionInput,
    type: 'released' | 'rejected',
  ): PurchaseOutcome {
    const parsed = parseInput(paymentDecisionSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { purchaseId, payment: ref, reason } = parsed.data;
    const purchase = await this.access.find(caller.actor, purchaseId, 'payments:write');
    if (purchase === null) return refuse([noPurchase(purchaseId)]);
    const payment = (await this.paymentsOf(purchase)).find((one) => one.ref === ref);
    if (payment?.standing !== 'HELD') {
      return refuse([invalid(['payment'], 'There is no such payment that waits for a decision.')], purchase);
    }
    const decided = await this.record(caller, purchase, { type, payment: ref }, reason);
    const leftMinor = payment.amountMinor - payment.refundedMinor - payment.disputedMinor;
    if (!decided.ok || type === 'released' || leftMinor === 0 || caller.dryRun === true) return decided;
    return this.giveBack(caller, decided.value, payment, leftMinor, reason);
  }

  private giveBack(
    caller: Caller,
    purchase: PurchaseOfTenant,
    payment: { ref: string; currency: string; refundedMinor: number },
    amountMinor: number,
    reason: string | null,
  ): PurchaseOutcome {
    return this.asking(caller, purchase, async () => {
      const event = await this.providers.find(purchase.provider)?.refund({
        order: { ...purchase, purchaseId: purchase.id },
        payment: payment.ref,
        currency: payment.currency,
        amountMinor,
        totalMinor: payment.refundedMinor + amountMinor,
      });
      if (event == null)
        return { ok: true, value: await this.get(purchase.id), changeId: null, impact: null };
      return this.changes.run<PurchaseOfTenant>(caller, { reason }, async (change) => {
        return (await this.events.add(change, purchase.id, [event])) ?? purchase;
      });
    });
  }

  /** Adds what was decided here, unless it is tried only: then the provider was not asked either. */
  private async record(
    caller: Caller,
    purchase: PurchaseOfTenant,
    fact: PurchaseFact,
    reason: string | null,
  ): PurchaseOutcome {
    try {
      return await this.changes.run<PurchaseOfTenant>(caller, { reason }, async (change) => {
        const at = await this.billing.now(purchase.tenantId, change.tx);
        const event = { source: 'tollgate' as const, id: newId('purchaseEvent'), at, fact };
        return (await this.events.add(change, purchase.id, [event])) ?? purchase;
      });
    } catch (error) {
      if (!(error instanceof TooManyAdjustments)) throw error;
      return refuse([invalid(['purchaseId'], `${error.message}. End one first.`)], purchase);
    }
  }

  private async asking(
    caller: Caller,
    purchase: PurchaseOfTenant,
    work: () => PurchaseOutcome,
  ): PurchaseOutcome {
    if (this.providers.find(purchase.provider) === undefined) {
      const message = `${purchase.provider} is switched off here.`;
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, null, message)], purchase);
    }
    if (caller.dryRun === true) return { ok: true, value: purchase, changeId: null, impact: null };
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      return refuse([userError(UserErrorCode.PROVIDER_UNAVAILABLE, null, error.message)], purchase);
    }
  }

  private async paymentsOf(purchase: PurchaseOfTenant) {
    return foldPurchase(orderOf(purchase), await this.purchases.listEvents(purchase.id)).payments;
  }

  private async get(id: string): Promise<PurchaseOfTenant> {
    const purchase = await this.purchases.findById(id);
    if (purchase === null) throw new Error(`Purchase ${id} is gone`);
    return purchase;
  }
}

const noPurchase = (id: string) => notFound(['purchaseId'], `purchase "${id}"`);
