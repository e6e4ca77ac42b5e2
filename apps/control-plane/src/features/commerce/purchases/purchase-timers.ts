import { Injectable } from '@nestjs/common';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { addDays, Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { InvoiceStatus, PurchaseStatus } from '../../../platform/prisma/schema.js';
import { BillingClock } from '../payments/billing-clock.js';
import { type InvoiceRow, InvoicesRepository } from '../payments/invoices.repository.js';
import type { PurchaseEvent } from '../payments/payment-provider.js';
import { MAX_STOP_ATTEMPTS, ProviderStops } from './provider-stops.js';
import { INVOICE_LEAD_DAYS, invoiceAt, isUnpaidInvoice } from './purchase.reports.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { type PurchaseRow, PurchasesRepository, type PurchaseWithTenant } from './purchases.repository.js';

const BATCH = 200;

/** Issues the invoices of renewals and reports overdue ones. */
@Injectable()
export class RenewalInvoices {
  constructor(private readonly invoices: InvoicesRepository) {}

  /** Issues the invoice that is due. Returns a `renewal_failed` event if the open invoice is overdue. */
  async advance(change: Change, purchase: PurchaseRow, now: Date): Promise<PurchaseEvent[]> {
    const { paidThrough, renews } = purchase;
    const grant = renews ? { until: null } : null;
    const at = invoiceAt(purchase, { grant, paidThrough });
    if (at === null || paidThrough === null || now < at) return [];
    const issued = await this.invoices.listOfPurchase(purchase.id, change.tx);
    const open =
      issued.find(({ status }) => status === InvoiceStatus.OPEN) ??
      (await this.issue(change, purchase, paidThrough, issued));
    if (now < open.dueAt) return [];
    const fact = { type: 'renewal_failed' as const, payment: open.id };
    return [{ source: 'invoice', id: `${open.id}.overdue`, at: open.dueAt, fact }];
  }

  async voidOpen(change: Change, purchase: PurchaseRow, now: Date): Promise<void> {
    for (const { id, status } of await this.invoices.listOfPurchase(purchase.id, change.tx)) {
      if (status === InvoiceStatus.OPEN)
        await this.invoices.close(change.tx, id, InvoiceStatus.VOID, now, null);
    }
  }

  private issue(
    change: Change,
    { tenantId, id: purchaseId, amountMinor, currency }: PurchaseRow,
    dueAt: Date,
    issued: InvoiceRow[],
  ): Promise<InvoiceRow> {
    return this.invoices.issue(change.tx, {
      tenantId,
      purchaseId,
      period: (issued.at(-1)?.period ?? -1) + 1,
      amountMinor,
      currency,
      issuedAt: addDays(dueAt, -INVOICE_LEAD_DAYS),
      dueAt,
    });
  }
}

/** Applies time-based transitions (expiry, renewal invoices) to one purchase. */
@Injectable()
export class PurchaseTimer {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly events: PurchaseEventsService,
    private readonly invoices: RenewalInvoices,
    private readonly billing: BillingClock,
    private readonly changes: ChangeRunner,
  ) {}

  /** The purchase after its transitions; null if it does not exist. */
  async advance(id: string): Promise<PurchaseWithTenant | null> {
    const caller: Caller = { actor: jobActor('purchases'), requestId: newId('request') };
    const outcome = await this.changes.run<PurchaseWithTenant | null>(
      caller,
      { reason: null },
      async (change) => {
        const purchase = await this.purchases.lock(change.tx, id);
        if (purchase === null) return null;
        const { now, realNow } = await this.billing.read(purchase.tenantId, change.tx);
        const overdue = await this.invoices.advance(change, purchase, now);
        const events = [...lapse(purchase, now, realNow), ...overdue];
        const advanced = await this.events.advance(change, purchase, events);
        if (advanced.stopDue) await this.invoices.voidOpen(change, advanced, now);
        return advanced;
      },
    );
    return outcome.ok ? outcome.value : null;
  }
}

/** Cancels an order that was not paid in time: pages of providers close in real time, invoices lapse in billing time. */
function lapse(purchase: PurchaseWithTenant, now: Date, realNow: Date): PurchaseEvent[] {
  const { id, status, expiresAt, dueAt } = purchase;
  if (status !== PurchaseStatus.PENDING) return [];
  const [at, time] = isUnpaidInvoice(purchase) ? [dueAt, now] : [expiresAt, realNow];
  if (at === null || at > time) return [];
  return [{ source: 'tollgate', id: `${id}.lapsed`, at, fact: { type: 'canceled' } }];
}

/** Runs due timers: order timeouts, end of grace periods and top-ups, renewal invoices, cancellations at providers. */
@Injectable()
export class PurchaseTimersService {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly timer: PurchaseTimer,
    private readonly stops: ProviderStops,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Runs the due timers of all tenants, or of one. A purchase that fails is retried in the next run. */
  async run(tenantId?: string): Promise<number> {
    const due = await this.purchases.listDue(this.clock.now(), tenantId, MAX_STOP_ATTEMPTS, BATCH);
    return this.advanceAll(due);
  }

  /** Reconciles all granted purchases of a tenant after it was put on a test clock. */
  async reconcileAll(tenantId: string): Promise<void> {
    await this.advanceAll(await this.purchases.listGranted(tenantId));
  }

  private async advanceAll(ids: string[]): Promise<number> {
    for (const id of ids) {
      try {
        const purchase = await this.timer.advance(id);
        if (purchase !== null) await this.stops.attempt(purchase);
      } catch (error) {
        this.log.error({ err: error, purchaseId: id }, 'purchase timer failed');
      }
    }
    return ids.length;
  }
}

/** Runs purchase timers in real time, and those of test clocks that a crash interrupted. */
@Injectable()
@ScheduledJob({ name: 'purchases', everyMs: 2000 })
export class PurchasesJob implements Job {
  constructor(private readonly timers: PurchaseTimersService) {}

  run(): Promise<number> {
    return this.timers.run();
  }
}
