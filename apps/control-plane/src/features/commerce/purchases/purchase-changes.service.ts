import { Injectable } from '@nestjs/common';
import { findChargeProblem, formatMoney } from '@tollgate/contracts';
import { mayIn } from '../../../platform/access/ability.js';
import type { Actor, Caller } from '../../../platform/access/actor.js';
import type { Permission } from '../../../platform/access/permissions.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { kindOfId, newId } from '../../../platform/ids.js';
import { PurchaseStatus } from '../../../platform/prisma/schema.js';
import { TooManyAdjustments } from '../../customers/index.js';
import { BillingClock } from '../payments/billing-clock.js';
import { ProviderFailure, type PurchaseFact } from '../payments/payment-provider.js';
import { PaymentProviders } from '../payments/payment-providers.js';
import { foldPurchase, orderOf, type Payment } from './purchase.fold.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import {
  type PaymentDecisionInput,
  type PurchaseCancelInput,
  type PurchaseRefundInput,
  paymentDecisionSchema,
  purchaseChangeSchema,
  purchaseRefundSchema,
} from './purchase-inputs.js';
import { PurchasesRepository, type PurchaseWithTenant } from './purchases.repository.js';

type PurchaseOutcome = Promise<Outcome<PurchaseWithTenant>>;

@Injectable()
export class PurchaseAccess {
  constructor(private readonly purchases: PurchasesRepository) {}

  /** Null if the purchase does not exist or the actor lacks `permission` in its tenant. */
  async find(actor: Actor, id: string, permission: Permission): Promise<PurchaseWithTenant | null> {
    const purchase = kindOfId(id) === 'purchase' ? await this.purchases.findById(id) : null;
    return purchase !== null && mayIn(actor.ability, permission, purchase.tenant.key) ? purchase : null;
  }
}

/** Changes of purchases by people. The payment provider is called first; its events are booked like any other. */
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

  /** Stops the renewal at the end of the paid period, or cancels an unpaid order. Errors: NOT_FOUND, INVALID. */
  async cancel(caller: Caller, input: PurchaseCancelInput): PurchaseOutcome {
    const parsed = parseInput(purchaseChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { purchaseId, reason } = parsed.data;
    const purchase = await this.access.find(caller.actor, purchaseId, 'purchases:write');
    if (purchase === null) return refuse([noPurchase(purchaseId)]);
    if (purchase.status === PurchaseStatus.PROCESSING) {
      const message =
        'The payment is being processed by the bank. Cancel or refund it when its result is known.';
      return refuse([invalid(['purchaseId'], message)], purchase);
    }
    const isUnpaid = await this.isUnpaid(purchase);
    if (isUnpaid && purchase.autoTopUpId !== null) {
      const message = 'This order is being charged to the saved card. Refund it when it is paid.';
      return refuse([invalid(['purchaseId'], message)], purchase);
    }
    if (!isUnpaid && !purchase.renews) {
      return refuse([invalid(['purchaseId'], 'This purchase does not renew.')], purchase);
    }
    if (isUnpaid) return this.record(caller, purchase, { type: 'canceled' }, reason);
    return this.withProvider(caller, purchase, async () => {
      await this.providers.find(purchase.provider)?.stopRenewal({ ...purchase, purchaseId });
      return this.record(caller, purchase, { type: 'renewal_stopped' }, reason);
    });
  }

  /** Refunds a payment; by default, all that is not refunded or disputed. Errors: NOT_FOUND, INVALID. */
  async refund(caller: Caller, input: PurchaseRefundInput): PurchaseOutcome {
    const parsed = parseInput(purchaseRefundSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { purchaseId, reason } = parsed.data;
    const purchase = await this.access.find(caller.actor, purchaseId, 'payments:write');
    if (purchase === null) return refuse([noPurchase(purchaseId)]);
    const payments = await this.paymentsOf(purchase);
    const ref = parsed.data.payment ?? payments.findLast(({ status }) => status === 'ACCEPTED')?.ref;
    const payment = payments.find((one) => one.ref === ref);
    if (payment === undefined) return refuse([notFound(['payment'], 'payment of this purchase')], purchase);
    const leftMinor = payment.amountMinor - payment.refundedMinor - payment.disputedMinor;
    const amountMinor = parsed.data.amountMinor ?? leftMinor;
    if (leftMinor === 0 || amountMinor > leftMinor) {
      const message = `At most ${formatMoney(leftMinor, payment.currency)} of this payment can be refunded.`;
      return refuse([invalid(['amountMinor'], message)], purchase);
    }
    const problem = findChargeProblem(amountMinor, payment.currency);
    if (problem !== undefined) return refuse([invalid(['amountMinor'], problem)], purchase);
    if (caller.dryRun === true) return { ok: true, value: purchase, changeId: null, impact: null };
    return this.refundPayment(caller, purchase, payment, amountMinor, reason);
  }

  /** Approves a payment that needs review. Errors: NOT_FOUND, INVALID. */
  approve(caller: Caller, input: PaymentDecisionInput): PurchaseOutcome {
    return this.decide(caller, input, 'approved');
  }

  /** Rejects and refunds a payment that needs review. Errors: NOT_FOUND, INVALID. */
  reject(caller: Caller, input: PaymentDecisionInput): PurchaseOutcome {
    return this.decide(caller, input, 'rejected');
  }

  private async decide(
    caller: Caller,
    input: PaymentDecisionInput,
    type: 'approved' | 'rejected',
  ): PurchaseOutcome {
    const parsed = parseInput(paymentDecisionSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { purchaseId, payment: ref, reason } = parsed.data;
    const purchase = await this.access.find(caller.actor, purchaseId, 'payments:write');
    if (purchase === null) return refuse([noPurchase(purchaseId)]);
    const payment = (await this.paymentsOf(purchase)).find((one) => one.ref === ref);
    if (payment?.status !== 'NEEDS_REVIEW') {
      return refuse([invalid(['payment'], 'This payment does not need review.')], purchase);
    }
    const decided = await this.record(caller, purchase, { type, payment: ref }, reason);
    const leftMinor = payment.amountMinor - payment.refundedMinor - payment.disputedMinor;
    if (!decided.ok || type === 'approved' || leftMinor === 0 || caller.dryRun === true) return decided;
    return this.refundPayment(caller, decided.value, payment, leftMinor, reason);
  }

  private refundPayment(
    caller: Caller,
    purchase: PurchaseWithTenant,
    payment: Payment,
    amountMinor: number,
    reason: string | null,
  ): PurchaseOutcome {
    return this.withProvider(caller, purchase, async () => {
      const event = await this.providers.find(purchase.provider)?.refund({
        order: { ...purchase, purchaseId: purchase.id },
        payment: payment.ref,
        currency: payment.currency,
        amountMinor,
        totalMinor: payment.refundedMinor + amountMinor,
        failedBefore: payment.failedRefunds.length,
      });
      if (event == null)
        return { ok: true, value: await this.get(purchase.id), changeId: null, impact: null };
      return this.changes.run<PurchaseWithTenant>(caller, { reason }, async (change) => {
        return (await this.events.add(change, purchase.id, [event])) ?? purchase;
      });
    });
  }

  /** Adds a fact that was decided in Tollgate. */
  private async record(
    caller: Caller,
    purchase: PurchaseWithTenant,
    fact: PurchaseFact,
    reason: string | null,
  ): PurchaseOutcome {
    try {
      return await this.changes.run<PurchaseWithTenant>(caller, { reason }, async (change) => {
        const at = await this.billing.now(purchase.tenantId, change.tx);
        const event = { source: 'tollgate' as const, id: newId('purchaseEvent'), at, fact };
        return (await this.events.add(change, purchase.id, [event])) ?? purchase;
      });
    } catch (error) {
      if (!(error instanceof TooManyAdjustments)) throw error;
      return refuse([invalid(['purchaseId'], `${error.message}. End one first.`)], purchase);
    }
  }

  private async withProvider(
    caller: Caller,
    purchase: PurchaseWithTenant,
    work: () => PurchaseOutcome,
  ): PurchaseOutcome {
    if (this.providers.find(purchase.provider) === undefined) {
      const message = `Payment provider ${purchase.provider} is disabled.`;
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

  private async paymentsOf(purchase: PurchaseWithTenant) {
    return foldPurchase(orderOf(purchase), await this.purchases.listEvents(purchase.id)).payments;
  }

  /** Whether an order waits for its payment, or has waited for it in vain. */
  private async isUnpaid(purchase: PurchaseWithTenant): Promise<boolean> {
    if (purchase.status === PurchaseStatus.PENDING) return true;
    if (purchase.status !== PurchaseStatus.NEEDS_REVIEW) return false;
    return (await this.paymentsOf(purchase)).length === 0;
  }

  private async get(id: string): Promise<PurchaseWithTenant> {
    const purchase = await this.purchases.findById(id);
    if (purchase === null) throw new Error(`Purchase ${id} is gone`);
    return purchase;
  }
}

const noPurchase = (id: string) => notFound(['purchaseId'], `purchase "${id}"`);
