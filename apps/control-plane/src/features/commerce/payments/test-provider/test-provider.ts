import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../../config/app-config.js';
import {
  type Checkout,
  type CheckoutOrder,
  type PaymentProvider,
  type PlacedOrder,
  ProviderFailure,
  type Refund,
} from '../payment-provider.js';
import { TestBank } from './test-bank.js';
import { TestOrdersRepository } from './test-orders.repository.js';

/** Path of the page on which test cards pay. */
export const CARD_PAGE_PATH = '/pay/test';

/** Payment with test cards, on a page of our own. No money moves. */
@Injectable()
export class TestProvider implements PaymentProvider {
  readonly name = 'TEST' as const;

  constructor(
    private readonly orders: TestOrdersRepository,
    private readonly bank: TestBank,
    private readonly config: AppConfig,
  ) {}

  async startCheckout(order: CheckoutOrder): Promise<Checkout> {
    const { purchaseId, tenant, label, amountMinor, currency, interval, returnUrl } = order;
    const customerRef = `test-customer-${tenant.id}`;
    const { id } = await this.orders.open({
      tenantId: tenant.id,
      purchaseId,
      customerRef,
      label,
      amountMinor: BigInt(amountMinor),
      currency,
      interval,
      returnUrl,
    });
    return { ref: id, url: `${this.config.publicOrigin}${CARD_PAGE_PATH}/${id}`, customerRef };
  }

  async stopRenewal({ checkoutRef }: PlacedOrder): Promise<void> {
    if (checkoutRef !== null) await this.bank.stop(checkoutRef, { type: 'renewal_stopped' });
  }

  async endNow({ checkoutRef }: PlacedOrder): Promise<void> {
    if (checkoutRef !== null) await this.bank.stop(checkoutRef, { type: 'ended' });
  }

  async refund({ payment, totalMinor }: Refund): Promise<null> {
    if (!(await this.bank.refund(payment, totalMinor))) {
      throw new ProviderFailure('The test provider has not so much of this payment left.', undefined);
    }
    return null;
  }

  /** A test card is nothing that one would want to change. */
  async findPortalUrl(): Promise<null> {
    return null;
  }
}
