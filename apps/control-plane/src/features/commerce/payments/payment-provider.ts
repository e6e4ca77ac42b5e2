import type { BillingInterval, PaymentProviderName } from '../../../platform/prisma/schema.js';
import type { PurchaseEvent } from './purchase-fact.js';

/** What is to be paid. */
export interface CheckoutOrder {
  purchaseId: string;
  tenant: { id: string; key: string; name: string };
  /** What it is, for whoever pays. */
  label: string;
  /** Of the whole order, for one period. */
  amountMinor: number;
  currency: string;
  /** Null: paid once. */
  interval: BillingInterval | null;
  /** After it the order cannot be paid any more; null: it can. */
  expiresAt: Date | null;
  /** Page of the console to which the payer comes back. */
  returnUrl: string;
}

/** Where an order is paid. */
export interface Checkout {
  /** The provider's id of it. */
  ref: string;
  /** Page on which it is paid; null: there is none. */
  url: string | null;
  /** The provider's id of who has to pay: a payment by another is held. */
  customerRef: string;
}

/** An order that was handed over. */
export interface PlacedOrder {
  purchaseId: string;
  tenantId: string;
  checkoutRef: string | null;
  subscriptionRef: string | null;
}

export interface Refund {
  order: PlacedOrder;
  /** The payment, by the provider's id. */
  payment: string;
  currency: string;
  /** What is to be given back now. */
  amountMinor: number;
  /** What is given back in all, with this. */
  totalMinor: number;
}

/**
 * Somebody who takes money. Calls are outside of transactions and may be repeated: each carries what lets the provider know
 * that it has done it already. What happens is told by events; only where nobody else tells it, a call returns it.
 * All throw `ProviderFailure` when the provider does not do it.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName;
  startCheckout(order: CheckoutOrder): Promise<Checkout>;
  /** No further charge after the period that is paid. */
  stopRenewal(order: PlacedOrder): Promise<void>;
  /** No further charge from now on. */
  endNow(order: PlacedOrder): Promise<void>;
  refund(refund: Refund): Promise<PurchaseEvent | null>;
  /** Page on which a customer changes cards and sees receipts; null: there is none. */
  findPortalUrl(customerRef: string, returnUrl: string): Promise<string | null>;
}

/** The provider cannot be reached, or does not want to. The message is for operators; details are in the log. */
export class ProviderFailure extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ProviderFailure';
  }
}
