import * as z from 'zod';

const payment = z.string().min(1).max(200);
const amountMinor = z.int().min(0);

/** What can happen to a purchase, in our words, whoever tells it. `payment` names one charge at its provider. */
export const purchaseFactSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('paid'),
    payment,
    amountMinor,
    /** ISO 4217, upper case. */
    currency: z.string().length(3),
    /** Who paid, by the provider's id; null: it does not say. */
    customer: z.string().nullable(),
    /** What later charges are made by, where there are any. */
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
  /** There will be no further charge, whatever else is told. */
  z.object({ type: z.literal('ended') }),
  /** The order was given up before it was paid. */
  z.object({ type: z.literal('expired') }),
  /** An operator has looked at a payment that was held. */
  z.object({ type: z.literal('released'), payment }),
  z.object({ type: z.literal('rejected'), payment }),
  /** It was paid when it could not be had any more: the stock was sold, or the tenant has too many already. */
  z.object({ type: z.literal('withheld'), payment, reason: z.enum(['SOLD_OUT', 'TOO_MANY']) }),
]);

export type PurchaseFact = z.infer<typeof purchaseFactSchema>;

/** A fact with its identity: the same event told twice is one event. */
export interface PurchaseEvent {
  source: 'stripe' | 'test' | 'invoice' | 'tollgate';
  /** Unique at its source. */
  id: string;
  at: Date;
  fact: PurchaseFact;
}
