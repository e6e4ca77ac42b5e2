import type { BillingInterval, PaymentProviderName } from '../../../platform/prisma/schema.js';
import type { PurchaseEvent } from './purchase-event.js';

export interface CheckoutOrder {
  purchaseId: string;
  tenant: { id: string; key: string; name: string };
  label: string;
  /** Total for one period. */
  amountMinor: number;
  currency: string;
  /** Null: paid once. */
  interval: BillingInterval | null;
  /** End of the time to pay; null: unlimited. */
  expiresAt: Date | null;
  /** Page of the console to which the payer returns. */
  returnUrl: string;
}

export interface Checkout {
  /** Id of the checkout at the provider. */
  ref: string;
  /** Payment page; null: none. */
  url: string | null;
  /** Expected customer, by the provider's id. A payment by another customer needs review. */
  customerRef: string;
}

/** An order with a checkout at the provider. */
export interface PlacedOrder {
  purchaseId: string;
  tenantId: string;
  checkoutRef: string | null;
  subscriptionRef: string | null;
}

export interface Refund {
  order: PlacedOrder;
  payment: string;
  currency: string;
  amountMinor: number;
  /** Total of all refunds of the payment, including this one. */
  totalMinor: number;
}

/**
 * A payment provider. Calls run outside transactions and may be repeated; each carries an idempotency key or is idempotent.
 * Results arrive as events; a call returns an event only if the provider sends none.
 * All methods throw `ProviderFailure` on failure.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName;
  startCheckout(order: CheckoutOrder): Promise<Checkout>;
  stopRenewal(order: PlacedOrder): Promise<void>;
  endNow(order: PlacedOrder): Promise<void>;
  refund(refund: Refund): Promise<PurchaseEvent | null>;
  /** Billing portal, where the customer manages cards and receipts; null: none. */
  findPortalUrl(customerRef: string, returnUrl: string): Promise<string | null>;
}

/** The provider is unreachable or rejects a call. The message is for operators; details are in the log. */
export class ProviderFailure extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ProviderFailure';
  }
}
