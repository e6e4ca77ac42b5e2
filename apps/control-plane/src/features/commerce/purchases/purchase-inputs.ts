import { ArgsType, Field, ID, InputType, Int } from '@nestjs/graphql';
import { offerKeySchema, tenantKeySchema } from '@tollgate/contracts';
import { sameOriginUrl } from '@tollgate/contracts/same-origin-url';
import * as z from 'zod';
import { optionalNote, orDefault } from '../../../platform/changes/outcome.js';
import { PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput } from '../../../platform/graphql/mutation.graphql.js';
import { ArgsOf, field, InputOf } from '../../../platform/graphql/object-of.js';
import { SafeInt } from '../../../platform/graphql/scalars.js';
import { refinePrintable } from '../../../platform/printable/printable.js';
import { InvoiceStatus, PaymentProviderName, PurchaseStatus } from '../../../platform/prisma/schema.js';

const MAX_AMOUNT_MINOR = 1_000_000_000_000;
const RETURN_PATH = 'returnPath must be a path of the console, such as /tenants/acme';

const amountMinor = z
  .int()
  .min(1, 'The amount must be 1 or more')
  .max(MAX_AMOUNT_MINOR, `The amount must be ${MAX_AMOUNT_MINOR} or less`)
  .meta({ graphql: () => SafeInt });
const paymentRef = z.string().min(1).max(200);
export const returnPath = z
  .string()
  .max(300)
  .regex(/^\/[\w\-./?=&%]*$/, RETURN_PATH)
  .refine((path) => sameOriginUrl('http://localhost', path) !== undefined, RETURN_PATH)
  .nullish()
  .describe('Path of the console to which the customer returns.');

export const purchaseStartSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant that buys.'),
  offerKey: offerKeySchema.describe('Key of the offer.'),
  quantity: orDefault(z.int().min(1, 'quantity must be 1 or more'), 1).meta({
    description: 'Quantity.',
    defaultValue: 1,
  }),
  provider: z.enum(PaymentProviderName).describe('Payment method: one of `paymentProviders`.'),
  expectedPriceMinor: z
    .int()
    .meta({ graphql: () => SafeInt })
    .describe('Unit price shown to the buyer. The order is rejected if the price has changed.'),
  returnPath,
  reason: optionalNote,
});

export type PurchaseOrder = z.output<typeof purchaseStartSchema>;

@InputType({ description: 'An order.' })
export class PurchaseStartInput extends InputOf(purchaseStartSchema, MutationInput) {}

export const purchaseChangeSchema = z.object({
  purchaseId: z
    .string()
    .max(80)
    .meta({ graphql: () => ID })
    .describe('Id of the purchase.'),
  reason: optionalNote,
});

@InputType({ description: 'The purchase to cancel.' })
export class PurchaseCancelInput extends InputOf(purchaseChangeSchema, MutationInput) {}

export const purchaseRefundSchema = purchaseChangeSchema.extend({
  payment: paymentRef.nullish().describe('Payment to refund; defaults to the last one.'),
  amountMinor: amountMinor.nullish().describe('Amount to refund; defaults to the remaining amount.'),
});

@InputType({ description: 'The payment to refund.' })
export class PurchaseRefundInput extends InputOf(purchaseRefundSchema, MutationInput) {}

export const paymentDecisionSchema = purchaseChangeSchema.extend({
  payment: paymentRef.describe('Reference of the payment at its provider.'),
});

@InputType({ description: 'The payment to approve or reject.' })
export class PaymentDecisionInput extends InputOf(paymentDecisionSchema, MutationInput) {}

export const portalLinkSchema = z.object({
  tenantKey: tenantKeySchema.describe('Key of the tenant.'),
  returnPath,
  reason: optionalNote,
});

@InputType({ description: 'The tenant whose billing portal to open.' })
export class PaymentPortalLinkInput extends InputOf(portalLinkSchema, MutationInput) {}

export const invoiceChangeSchema = z.object({
  number: z.int().min(1, 'number must be 1 or more').describe('Number of the invoice.'),
  reason: optionalNote,
});

@InputType({ description: 'The invoice to void.' })
export class InvoiceVoidInput extends InputOf(invoiceChangeSchema, MutationInput) {}

export const invoiceMarkPaidSchema = invoiceChangeSchema.extend({
  reference: optionalNote.superRefine(refinePrintable).describe('Reference on the bank statement.'),
  receivedMinor: amountMinor
    .nullish()
    .describe('Amount received, if it differs from the amount of the invoice.'),
});

@InputType({ description: 'The invoice that was paid.' })
export class InvoiceMarkPaidInput extends InputOf(invoiceMarkPaidSchema, MutationInput) {}

@ArgsType()
export class PurchasePreviewArgs extends ArgsOf({
  tenantKey: field.string('Key of the tenant.'),
  offerKey: field.string('Key of the offer.'),
}) {
  @Field(() => Int, { defaultValue: 1, description: 'Quantity, 1 or more.' })
  quantity!: number;
}

@ArgsType()
export class PurchasesArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Only purchases of this tenant. Optional for operators.').optional(),
  status: field.of(() => PurchaseStatus, 'Only purchases in this status.').optional(),
}) {}

@ArgsType()
export class InvoicesArgs extends ArgsOf(PageArgs, {
  tenantKey: field.string('Only invoices of this tenant. Optional for operators.').optional(),
  status: field.of(() => InvoiceStatus, 'Only invoices in this status.').optional(),
}) {}
