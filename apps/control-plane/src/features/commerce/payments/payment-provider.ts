import * as z from 'zod';
import type { BillingInterval, PaymentProviderName } from '../../../platform/prisma/schema.js';

/** Payment term of the invoice of an order. */
export const PAYMENT_TERM_DAYS = 14;

const payment = z.string().min(1).max(200);
const amountMinor = z.int().min(0);

/** Facts of purchase events, independent of the provider. `payment` identifies one charge at its provider. */
export const purchaseFactSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('paid'),
    payment,
    amountMinor,
    /** ISO 4217, upper case. */
    currency: z.string().length(3),
    /** The payer, by the provider's id; null: unknown. */
    customer: z.string().nullable(),
    subscription: z.string().optional(),
  }),
  z.object({ type: z.literal('subscribed'), subscription: z.string() }),
  /** The customer has completed the checkout with a method whose result takes days, such as a bank debit. */
  z.object({ type: z.literal('processing'), subscription: z.string().optional() }),
  /** The first payment failed after its checkout was completed. */
  z.object({ type: z.literal('payment_failed'), subscription: z.string().optional() }),
  z.object({ type: z.literal('renewal_failed'), payment }),
  /** `refundedMinor` is the sum of all refunds of the payment so far. */
  z.object({ type: z.literal('refunded'), payment, refundedMinor: amountMinor }),
  /** A refund did not reach the customer. `refundedMinor` is the sum of the other refunds of the payment then. */
  z.object({ type: z.literal('refund_failed'), payment, amountMinor, refundedMinor: amountMinor }),
  z.object({ type: z.literal('disputed'), payment, dispute: z.string(), amountMinor }),
  z.object({
    type: z.literal('dispute_closed'),
    payment,
    dispute: z.string(),
    amountMinor,
    isWon: z.boolean(),
  }),
  /** `endsAt`: the day on which the subscription ends, which renews until then; undefined: it renews no more. */
  z.object({ type: z.literal('renewal_stopped'), endsAt: z.iso.datetime().optional() }),
  z.object({ type: z.literal('renewal_resumed') }),
  /** The provider has ended the subscription: no further charge. */
  z.object({ type: z.literal('subscription_ended') }),
  /** The order was canceled, or not paid in time. */
  z.object({ type: z.literal('canceled') }),
  z.object({ type: z.literal('approved'), payment }),
  z.object({ type: z.literal('rejected'), payment }),
  /**
   * The payment cannot be fulfilled: the offer is sold out, would change no limit by now, or the tenant has reached the maximum of
   * entitlements.
   */
  z.object({
    type: z.literal('flagged'),
    payment,
    reason: z.enum(['SOLD_OUT', 'TOO_MANY', 'NO_EFFECT']),
  }),
]);

export type PurchaseFact = z.infer<typeof purchaseFactSchema>;

/** A fact with the identity of its event, which detects repeated deliveries. */
export interface PurchaseEvent {
  source: 'stripe' | 'test' | 'invoice' | 'tollgate';
  /** Unique at its source. */
  id: string;
  at: Date;
  fact: PurchaseFact;
}

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
  /** Number of refunds of the payment that failed, which this one may repeat. */
  failedBefore: number;
}

/** A card that a provider keeps for a tenant. */
export interface SavedCard {
  /** Id of the card at the provider. */
  ref: string;
  /** For people: `Visa ending in 4242`. */
  label: string;
}

/** A charge of a saved card, without the customer. */
export interface CardCharge {
  purchaseId: string;
  tenant: { id: string; key: string; name: string };
  label: string;
  amountMinor: number;
  currency: string;
  card: string;
  /** Id of the charge at the provider, from an earlier call; null: none is known. */
  chargeRef: string | null;
}

export type ChargeResult =
  | { status: 'paid'; checkout: Checkout; event: PurchaseEvent | null }
  /** The bank has not decided: charge again later, with `chargeRef`. */
  | { status: 'processing'; checkout: Checkout }
  /** Final. The message is for the customer. */
  | { status: 'declined'; message: string };

/** Cards that a provider keeps, and charges without the customer. */
export interface SavedCards {
  /** Newest first. */
  list(tenantId: string): Promise<SavedCard[]>;
  /** Opens a page on which the tenant saves a card. */
  startSaving(tenant: CheckoutOrder['tenant'], currency: string, returnUrl: string): Promise<string>;
  /**
   * Charges a purchase once, however often it is called. After a `ProviderFailure` the outcome is unknown: the same call
   * finds out.
   */
  charge(charge: CardCharge): Promise<ChargeResult>;
}

/**
 * A payment provider. Calls run outside transactions and may be repeated; each carries an idempotency key or is idempotent.
 * Results arrive as events; a call returns an event only if the provider sends none.
 * All methods throw `ProviderFailure` on failure.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** Null: the provider cannot charge without the customer. */
  readonly savedCards: SavedCards | null;
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
