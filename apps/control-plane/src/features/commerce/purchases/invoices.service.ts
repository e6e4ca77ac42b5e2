import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { InvoiceStatus } from '../../../platform/prisma/schema.js';
import { BillingClock } from '../payments/billing-clock.js';
import { type InvoiceRow, InvoicesRepository } from '../payments/invoices/invoices.repository.js';
import { type PurchaseFact } from '../payments/purchase-fact.js';
import type { InvoiceMarkPaidInput, InvoiceVoidInput } from './invoices.graphql.js';
import { invoiceChangeSchema, invoiceMarkPaidSchema } from './purchase.rules.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { PurchasesRepository } from './purchases.repository.js';

/** What operators say of invoices: that their money has come, or that it is not to come. */
@Injectable()
export class InvoicesService {
  constructor(
    private readonly invoices: InvoicesRepository,
    private readonly purchases: PurchasesRepository,
    private readonly events: PurchaseEventsService,
    private readonly changes: ChangeRunner,
    private readonly billing: BillingClock,
  ) {}

  /** The money has come; another sum than the invoice's is held. Refused: NOT_FOUND, INVALID unless it is open. */
  async markPaid(caller: Caller, input: InvoiceMarkPaidInput): Promise<Outcome<InvoiceRow>> {
    const parsed = parseInput(invoiceMarkPaidSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { number, reason, reference, receivedMinor } = parsed.data;
    return this.settle(caller, number, reason, InvoiceStatus.PAID, reference, (invoice) => ({
      type: 'paid',
      payment: invoice.id,
      amountMinor: receivedMinor ?? Number(invoice.amountMinor),
      currency: invoice.currency,
      customer: invoice.tenantId,
    }));
  }

  /** Nobody is to pay it: an order is given up, a renewal is none. Refused: NOT_FOUND, INVALID unless it is open. */
  async void(caller: Caller, input: InvoiceVoidInput): Promise<Outcome<InvoiceRow>> {
    const parsed = parseInput(invoiceChangeSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { number, reason } = parsed.data;
    return this.settle(caller, number, reason, InvoiceStatus.VOID, null, ({ period }) => ({
      type: period === 0 ? 'expired' : 'renewal_stopped',
    }));
  }

  private async settle(
    caller: Caller,
    number: number,
    reason: string | null,
    status: 'PAID' | 'VOID',
    reference: string | null,
    factOf: (invoice: InvoiceRow) => PurchaseFact,
  ): Promise<Outcome<InvoiceRow>> {
    const invoice = await this.invoices.findByNumber(number);
    if (invoice === null) return refuse([notFound(['number'], `invoice ${number}`)]);
    return this.changes.run<InvoiceRow>(caller, { reason }, async (change) => {
      // The purchase first: whoever settles a purchase locks its invoices after it.
      await this.purchases.lock(change.tx, invoice.purchaseId);
      const at = await this.billing.now(invoice.tenantId, change.tx);
      if (!(await this.invoices.settle(change.tx, invoice.id, status, at, reference)))
        return notOpen(invoice);
      await this.tell(change, invoice, status, { at, fact: factOf(invoice) });
      return { ...invoice, status, settledAt: at, reference };
    });
  }

  private async tell(
    change: Change,
    { id, purchaseId }: InvoiceRow,
    status: 'PAID' | 'VOID',
    told: { at: Date; fact: PurchaseFact },
  ): Promise<void> {
    const event = { source: 'invoice' as const, id: `${id}.${status.toLowerCase()}`, ...told };
    await this.events.add(change, purchaseId, [event]);
  }
}

function notOpen(invoice: InvoiceRow): Refusal<InvoiceRow> {
  const message = 'The invoice is not open any more.';
  return refuse([userError(UserErrorCode.INVALID, ['number'], message)], invoice);
}
