import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { addDays } from '../../../platform/clock.js';
import { Database } from '../../../platform/prisma/database.js';
import type { PaymentProviderName } from '../../../platform/prisma/schema.js';
import { BillingClock } from './billing-clock.js';
import { InvoicesRepository } from './invoices.repository.js';
import {
  type Checkout,
  type CheckoutOrder,
  PAYMENT_TERM_DAYS,
  type PaymentProvider,
  type PurchaseEvent,
  type Refund,
} from './payment-provider.js';
import { StripeProvider } from './stripe-provider.js';
import { TestProvider } from './test-provider.js';

/** Payment by bank transfer: issues an invoice, which an operator marks as paid. */
@Injectable()
export class InvoiceProvider implements PaymentProvider {
  readonly name = 'INVOICE' as const;
  readonly savedCards = null;

  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesRepository,
    private readonly clock: BillingClock,
  ) {}

  async startCheckout(order: CheckoutOrder): Promise<Checkout> {
    const issuedAt = await this.clock.now(order.tenant.id);
    const invoice = await this.database.transaction((tx) =>
      this.invoices.issue(tx, {
        tenantId: order.tenant.id,
        purchaseId: order.purchaseId,
        period: 0,
        amountMinor: BigInt(order.amountMinor),
        currency: order.currency,
        issuedAt,
        dueAt: addDays(issuedAt, PAYMENT_TERM_DAYS),
      }),
    );
    return { ref: invoice.id, url: null, customerRef: order.tenant.id };
  }

  /** No effect: renewal invoices are issued only for purchases that renew. */
  async stopRenewal(): Promise<void> {}

  async endNow(): Promise<void> {}

  /** Records a transfer that the operator makes by hand. */
  async refund({ order, payment, totalMinor }: Refund): Promise<PurchaseEvent> {
    const at = await this.clock.now(order.tenantId);
    const fact = { type: 'refunded' as const, payment, refundedMinor: totalMinor };
    return { source: 'invoice', id: `${payment}.refunded.${totalMinor}`, at, fact };
  }

  async findPortalUrl(): Promise<null> {
    return null;
  }
}

@Injectable()
export class PaymentProviders {
  private readonly byName: ReadonlyMap<PaymentProviderName, PaymentProvider>;

  constructor(config: AppConfig, stripe: StripeProvider, test: TestProvider, invoice: InvoiceProvider) {
    const { payments } = config;
    const enabled = [
      ...(payments.stripe.enabled ? [stripe] : []),
      ...(payments.test.enabled ? [test] : []),
      ...(payments.invoice.enabled ? [invoice] : []),
    ];
    this.byName = new Map(enabled.map((provider) => [provider.name, provider]));
  }

  /** Undefined if it is disabled. */
  find(name: PaymentProviderName): PaymentProvider | undefined {
    return this.byName.get(name);
  }

  names(): PaymentProviderName[] {
    return [...this.byName.keys()];
  }
}
