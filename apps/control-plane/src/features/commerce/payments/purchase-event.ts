import * as z from 'zod';

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
  z.object({ type: z.literal('renewal_failed'), payment }),
  /** `refundedMinor` is the sum of all refunds of the payment so far. */
  z.object({ type: z.literal('refunded'), payment, refundedMinor: amountMinor }),
  z.object({ type: z.literal('disputed'), payment, dispute: z.string(), amountMinor }),
  z.object({
    type: z.literal('dispute_closed'),
    payment,
    dispute: z.string(),
    amountMinor,
    isWon: z.boolean(),
  }),
  z.object({ type: z.literal('renewal_stopped') }),
  z.object({ type: z.literal('renewal_resumed') }),
  /** The provider has ended the subscription: no further charge. */
  z.object({ type: z.literal('subscription_ended') }),
  /** The order was canceled, or not paid in time. */
  z.object({ type: z.literal('canceled') }),
  z.object({ type: z.literal('approved'), payment }),
  z.object({ type: z.literal('rejected'), payment }),
  /** The payment cannot be fulfilled: the offer is sold out, or the tenant has reached the maximum of entitlements. */
  z.object({ type: z.literal('flagged'), payment, reason: z.enum(['SOLD_OUT', 'TOO_MANY']) }),
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
