import { formatMoney } from '@tollgate/contracts';
import * as z from 'zod';
import { isolated } from '../../../platform/printable/printable.js';

/** Details of the selling company on an invoice. */
export const sellerSchema = z.object({
  companyName: z.string(),
  address: z.string(),
  taxId: z.string(),
  registration: z.string(),
  contact: z.string(),
  invoiceNote: z.string(),
  taxLabel: z.string(),
  taxBasisPoints: z.int(),
});
export type Seller = z.infer<typeof sellerSchema>;

export const buyerSchema = z.object({
  name: z.string(),
  address: z.string(),
  taxId: z.string(),
  email: z.string(),
});
export type Buyer = z.infer<typeof buyerSchema>;

/** An invoice or a receipt, with all texts as printed. */
export interface BillingDocument {
  tenantKey: string;
  title: string;
  /** Label and value, below the title. */
  facts: [label: string, value: string][];
  seller: Seller;
  buyer: Buyer;
  lines: DocumentLine[];
  /** Label and value; the last one is the total. */
  totals: [label: string, value: string][];
  note: string;
  /** Printed across the page, such as `VOID`. */
  stamp: string | null;
}

export interface DocumentLine {
  description: string;
  period: string;
  quantity: number;
  unitPrice: string;
  amount: string;
}

interface Price {
  amountMinor: number;
  currency: string;
}

/** One line; the unit price is omitted if the quantity does not divide the amount. */
export function lineOf(
  { amountMinor, currency }: Price,
  { label, quantity }: { label: string; quantity: number },
  period: string,
): DocumentLine {
  const unitPrice = amountMinor % quantity === 0 ? formatMoney(amountMinor / quantity, currency) : '';
  return { description: label, period, quantity, unitPrice, amount: formatMoney(amountMinor, currency) };
}

/**
 * The totals of an amount that includes the seller's tax: net, tax, total. Net and tax add up to the total, which is
 * never changed; without a tax, only the total.
 */
export function totalsOf(
  { amountMinor, currency }: Price,
  { taxLabel, taxBasisPoints }: Pick<Seller, 'taxLabel' | 'taxBasisPoints'>,
): [string, string][] {
  const total: [string, string] = ['Total', formatMoney(amountMinor, currency)];
  if (taxBasisPoints === 0) return [total];
  const taxMinor = Math.round((amountMinor * taxBasisPoints) / (10_000 + taxBasisPoints));
  const rate = `${isolated(taxLabel || 'Tax')} ${taxBasisPoints / 100} % included`;
  return [
    ['Net', formatMoney(amountMinor - taxMinor, currency)],
    [rate, formatMoney(taxMinor, currency)],
    total,
  ];
}

/** `20 November 2026` in a time zone. */
export function formatDate(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone }).format(at);
}

export const formatPeriod = (from: Date, to: Date, timeZone: string): string =>
  `${formatDate(from, timeZone)} – ${formatDate(to, timeZone)}`;
