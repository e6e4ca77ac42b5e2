import { offerKeySchema, tenantKeySchema } from '@tollgate/contracts';
import * as z from 'zod';
import { optionalNote, orDefault } from '../../platform/changes/text.js';
import { PaymentProviderName } from '../../platform/prisma/schema.js';

const MAX_AMOUNT_MINOR = 1_000_000_000_000;

const id = z.string().max(80);
const amountMinor = z
  .int()
  .min(1, 'The amount must be 1 or more')
  .max(MAX_AMOUNT_MINOR, `The amount must be ${MAX_AMOUNT_MINOR} or less`);
/** A path of the console; an address of another site would send the payer there. */
const returnPath = z
  .string()
  .max(300)
  .regex(/^\/(?![/\\])[\w\-./?=&%]*$/, 'returnPath is a path of the console, such as /tenants/acme');

export const purchaseStartSchema = z.object({
  tenantKey: tenantKeySchema,
  offerKey: offerKeySchema,
  quantity: orDefault(z.int().min(1, 'quantity must be 1 or more'), 1),
  provider: z.enum(PaymentProviderName),
  expectedPriceMinor: z.int(),
  returnPath: returnPath.nullish(),
  reason: optionalNote,
});

export const purchaseChangeSchema = z.object({ purchaseId: id, reason: optionalNote });

export const paymentDecisionSchema = purchaseChangeSchema.extend({ payment: z.string().min(1).max(200) });

export const purchaseRefundSchema = purchaseChangeSchema.extend({
  payment: z.string().min(1).max(200).nullish(),
  amountMinor: amountMinor.nullish(),
});

export const portalLinkSchema = z.object({
  tenantKey: tenantKeySchema,
  returnPath: returnPath.nullish(),
  reason: optionalNote,
});

export const invoiceChangeSchema = z.object({
  number: z.int().min(1, 'number must be 1 or more'),
  reason: optionalNote,
});

export const invoiceMarkPaidSchema = invoiceChangeSchema.extend({
  reference: optionalNote,
  receivedMinor: amountMinor.nullish(),
});

/** The page of the tenant's portal, to which a payer comes back unless another is asked for. */
export function pageOf(tenantKey: string, path: string | null | undefined): string {
  return path ?? `/portal/${tenantKey}/receipts`;
}

/** An order that has been checked. */
export type OrderedInput = z.output<typeof purchaseStartSchema>;

/** How long a payer has; Stripe allows no less than 30 minutes. */
export const ORDER_MS = 60 * 60_000;
/** For payments that were made in the last moment. */
export const MARGIN_MS = 5 * 60_000;
