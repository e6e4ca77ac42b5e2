import * as z from 'zod';

/** Stripe's objects as far as we read them; in events, references are ids and never whole objects. */
const id = z.string().min(1);
const metadata = z.record(z.string(), z.string()).nullish();
const amount = z.int().min(0);

/** As much of an event as is needed to record one that cannot be read further. */
export const stripeEventHeadSchema = z.looseObject({
  id: id.max(200),
  object: z.literal('event'),
  type: z.string().max(200),
  /** The version whose shape `data` has; null in events that no version shaped. */
  api_version: z.string().max(100).nullish(),
});

export const stripeEventSchema = z.object({
  ...stripeEventHeadSchema.shape,
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

const currency = z.string().length(3);

/** A session that is paid; one without an amount must not be booked as 0. */
export const paidSessionSchema = sessionSchema.extend({ amount_total: amount, currency });

/** Where an invoice names its subscription: in `parent` since 2025-03-31, at the top level or on its lines before. */
export const invoiceSchema = z
  .object({
    id,
    customer: id.nullish(),
    amount_paid: amount,
    currency,
    parent: z
      .object({
        subscription_details: z.object({ subscription: id, metadata }).nullish(),
      })
      .nullish(),
    subscription: id.nullish(),
    subscription_details: z.object({ metadata }).nullish(),
    lines: z.object({ data: z.array(z.object({ metadata })) }).nullish(),
  })
  .transform(({ parent, subscription, subscription_details, lines, ...invoice }) => ({
    ...invoice,
    subscription: parent?.subscription_details?.subscription ?? subscription ?? undefined,
    /** Candidates, the most specific first. */
    metadata: [
      parent?.subscription_details?.metadata,
      subscription_details?.metadata,
      ...(lines?.data ?? []).map((line) => line.metadata),
    ],
  }));

export const chargeSchema = z.object({ payment_intent: id.nullish(), amount_refunded: amount, metadata });

export const disputeSchema = z.object({
  id,
  payment_intent: id.nullish(),
  amount,
  status: z.string(),
});

export const subscriptionSchema = z.object({ id, cancel_at_period_end: z.boolean(), metadata });
