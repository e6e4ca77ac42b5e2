import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { invalid, notFound, type Outcome, parseInput, refuse } from '../../../platform/changes/outcome.js';
import { InvoiceStatus } from '../../../platform/prisma/schema.js';
import { BillingClock } from '../payments/billing-clock.js';
import { type InvoiceRow, InvoicesRepository } from '../payments/invoices.repository.js';
import type { PurchaseFact } from '../payments/payment-provider.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import {
  type InvoiceMarkPaidInput,
  type InvoiceVoidInput,
  invoiceChangeSchema,
  invoiceMarkPaidSchema,
} from './purchase-inputs.js';
import { PurchasesRepository } from './purchases.repository.js';

/** How an open invoice is closed, and the fact that this adds to its purchase. */
interface Closing {
  status: 'PAID' | 'VOID';
  reference: string | null;
  factOf: (invoice: InvoiceRow) => PurchaseFact;
}

@Injectable()
export class InvoicesService {
  constructor(
    private readonly invoices: InvoicesRepository,
    private readonly purchases: PurchasesRepository,
    private readonly events: PurchaseEventsService,
    private readonly changes: ChangeRunner,
    private readonly billing: BillingClock,
  ) {}

  /** Marks an open invoice as paid; a different amount puts the payment up for review. Errors: NOT_FOUND, INVALID. */
  async markPaid(caller: Caller, input: InvoiceMarkPaidInput): Promise<Outcome<InvoiceRow>> {
    const parsed = parseInput(invoiceMarkPaidSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { number, reason, reference, receivedMinor } = parsed.data;
    const factOf = (invoice: InvoiceRow): PurchaseFact => ({
      type: 'paid',
      payment: invoice.id,
      amountMinor: receivedMinor ?? Number(invoice.amountMinor),
      currency: invoice.currency,
      customer: invoice.tenantId,
    });
    return this.close(caller, number, reason, { status: InvoiceStatus.PAID, reference, factOf });
  }

  /** Voids an open invoice: cancels the order, or stops the renewal. Errors: NOT_FOUND, INVALID. */
  async void(caller: Caller, input: InvoiceVoidInput): Promise<Outcome<InvoiceRow>> {
    const parsed = parseInput(invoiceChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { number, reason } = parsed.data;
    const factOf = ({ period }: InvoiceRow): PurchaseFact => ({
      type: period === 0 ? 'canceled' : 'renewal_stopped',
    });
    return this.close(caller, number, reason, { status: InvoiceStatus.VOID, reference: null, factOf });
  }

  private async close(
    caller: Caller,
    number: number,
    reason: string | null,
    { status, reference, factOf }: Closing,
  ): Promise<Outcome<InvoiceRow>> {
    const invoice = await this.invoices.findByNumber(number);
    if (invoice === null) return refuse([notFound(['number'], `invoice ${number}`)]);
    return this.changes.run<InvoiceRow>(caller, { reason }, async (change) => {
      // Lock order: the purchase, then its invoices.
      const purchase = await this.purchases.lock(change.tx, invoice.purchaseId);
      const at = await this.billing.now(invoice.tenantId, change.tx);
      const isClosed = await this.invoices.close(change.tx, invoice.id, status, at, reference);
      if (purchase === null || !isClosed) {
        return refuse([invalid(['number'], 'The invoice is already paid or void.')], invoice);
      }
      const id = `${invoice.id}.${status.toLowerCase()}`;
      await this.events.append(change, purchase, [{ source: 'invoice', id, at, fact: factOf(invoice) }]);
      return { ...invoice, status, closedAt: at, reference };
    });
  }
}
