import * as z from 'zod';

/** Stripe's objects as far as we read them; in events, references are ids and never whole objects. */
const id = z.string().min(1);
const metadata = z.record(z.string(), z.string()).nullish();
const amount = z.int().min(0);

export const stripeEventSchema = z.object({
  id,
  object: z.literal('event'),
  type: z.string(),
  /** Seconds. */
  created: z.int().min(0),
  data: z.object({
    object: z.looseObject({}),
    previous_attributes: z.record(z.string(), z.unknown()).nullish(),
  }),
});

export type StripeEvent = z.output<typeof stripeEventSchema>;

export const sessionSchema = z.object({
  id,
  mode: z.string(),
  client_reference_id: z.string().nullish(),
  metadata,
  customer: id.nullish(),
  amount_total: amount.nullish(),
  currency: z.string().nullish(),
  payment_status: z.string(),
  payment_intent: id.nullish(),
  invoice: id.nullish(),
  subscription: id.nullish(),
});

export const invoiceSchema = z.object({
  id,
  customer: id.nullish(),
  amount_paid: amount,
  currency: z.string(),
  parent: z
    .object({
      subscription_details: z.object({ subscription: id, metadata }).nullish(),
    })
    .nullish(),
});

export const chargeSchema = z.object({ payment_intent: id.nullish(), amount_refunded: amount, metadata });

export const disputeSchema = z.object({
  id,
  payment_intent: id.nullish(),
  amount,
  status: z.string(),
});

export const subscriptionSchema = z.object({ id, cancel_at_period_end: z.boolean(), metadata });
