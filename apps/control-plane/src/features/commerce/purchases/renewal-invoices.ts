import { Injectable } from '@nestjs/common';
import type { Change } from '../../../platform/changes/change.js';
import { addDays } from '../../../platform/clock.js';
import { InvoiceStatus, OfferKind, PaymentProviderName } from '../../../platform/prisma/schema.js';
import { type InvoiceRow, InvoicesRepository } from '../payments/invoices/invoices.repository.js';
import type { PurchaseEvent } from '../payments/purchase-fact.js';
import type { Standing } from './purchase.standing.js';
import type { PurchaseRow } from './purchases.repository.js';

/** How long before a period ends the invoice of the next goes out. */
const LEAD_DAYS = 7;

/** When the invoice of the next period goes out; null: none does, as it is charged in another way or not at all. */
export function invoiceAt(
  purchase: PurchaseRow,
  { grant, paidThrough }: Pick<Standing, 'grant' | 'paidThrough'>,
) {
  const isByInvoice =
    purchase.provider === PaymentProviderName.INVOICE && purchase.kind === OfferKind.UPGRADE;
  return isByInvoice && grant !== null && grant.until === null && paidThrough !== null
    ? addDays(paidThrough, -LEAD_DAYS)
    : null;
}

/** Invoices of renewals, which nobody but us sends out and finds unpaid. */
@Injectable()
export class RenewalInvoices {
  constructor(private readonly invoices: InvoicesRepository) {}

  /** Sends out what is due, and says what was not paid in time. */
  async advance(change: Change, purchase: PurchaseRow, now: Date): Promise<PurchaseEvent[]> {
    const { paidThrough, renews } = purchase;
    const grant = renews ? { until: null } : null;
    const at = invoiceAt(purchase, { grant, paidThrough });
    if (at === null || paidThrough === null || now < at) return [];
    const sent = await this.invoices.listOfPurchase(purchase.id, change.tx);
    const open =
      sent.find(({ status }) => status === InvoiceStatus.OPEN) ?? (await this.send(change, purchase, sent));
    if (now < open.dueAt) return [];
    const fact = { type: 'renewal_failed' as const, payment: open.id };
    return [{ source: 'invoice', id: `${open.id}.overdue`, at: open.dueAt, fact }];
  }

  /** What is over is not to be paid any more. */
  async voidOpen(change: Change, purchase: PurchaseRow, now: Date): Promise<void> {
    for (const { id, status } of await this.invoices.listOfPurchase(purchase.id, change.tx)) {
      if (status === InvoiceStatus.OPEN)
        await this.invoices.settle(change.tx, id, InvoiceStatus.VOID, now, null);
    }
  }

  private send(change: Change, purchase: PurchaseRow, sent: InvoiceRow[]): Promise<InvoiceRow> {
    const { tenantId, id: purchaseId, amountMinor, currency } = purchase;
    const dueAt = purchase.paidThrough as Date;
    const period = (sent.at(-1)?.period ?? -1) + 1;
    const issuedAt = addDays(dueAt, -LEAD_DAYS);
    return this.invoices.issue(change.tx, {
      tenantId,
      purchaseId,
      period,
      amountMinor,
      currency,
      issuedAt,
      dueAt,
    });
  }
}
