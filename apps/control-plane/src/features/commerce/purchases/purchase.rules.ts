import { offerKeySchema, tenantKeySchema } from '@tollgate/contracts';
import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import * as z from 'zod';
import { optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { PaymentProviderName } from '../../../platform/prisma/schema.js';

const MAX_AMOUNT_MINOR = 1_000_000_000_000;

const id = z.string().max(80);
const amountMinor = z
  .int()
  .min(1, 'The amount must be 1 or more')
  .max(MAX_AMOUNT_MINOR, `The amount must be ${MAX_AMOUNT_MINOR} or less`);
const RETURN_PATH = 'returnPath is a path of the console, such as /tenants/acme';
const returnPath = z
  .string()
  .max(300)
  .regex(/^\/[\w\-./?=&%]*$/, RETURN_PATH)
  .refine((path) => sameOriginUrl('http://localhost', path) !== undefined, RETURN_PATH);

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

/** Where a payer returns: an absolute URL of this installation. @param path left out: the receipts in the tenant's portal */
export function returnUrlOf(origin: string, tenantKey: string, path: string | null | undefined): string {
  const receipts = `${origin}/portal/${tenantKey}/receipts`;
  return path == null ? receipts : (sameOriginUrl(origin, path) ?? receipts);
}

/** An order that has been checked. */
export type OrderedInput = z.output<typeof purchaseStartSchema>;

/** How long a payer has; Stripe allows no less than 30 minutes. */
export const ORDER_MS = 60 * 60_000;
/** For payments that were made in the last moment. */
export const MARGIN_MS = 5 * 60_000;
