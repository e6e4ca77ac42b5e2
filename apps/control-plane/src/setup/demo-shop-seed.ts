import { Injectable } from '@nestjs/common';
import {
  OffersRepository,
  OffersService,
  PaymentProviders,
  PurchaseStartService,
  PurchasesRepository,
  TestBank,
  TestDeliveries,
} from '../features/commerce/index.js';
import { DEMO_CALLER, DEMO_REASON, getValue } from './demo-change.js';
import type { DemoData } from './demo-data.js';

/** Puts the demo's offers on sale and buys some of them, as far as that is not done and can be paid here. */
@Injectable()
export class DemoShopSeed {
  constructor(
    private readonly offers: OffersService,
    private readonly offerRows: OffersRepository,
    private readonly starts: PurchaseStartService,
    private readonly purchases: PurchasesRepository,
    private readonly providers: PaymentProviders,
    private readonly bank: TestBank,
    private readonly deliveries: TestDeliveries,
  ) {}

  async run({ offers, purchases }: Pick<DemoData, 'offers' | 'purchases'>): Promise<void> {
    for (const offer of offers) await this.sell(offer);
    for (const purchase of purchases) await this.buy(purchase);
  }

  private async sell(input: DemoData['offers'][number]): Promise<void> {
    if ((await this.offerRows.findByKey(input.key)) !== null) return;
    const { version } = getValue(await this.offers.create(DEMO_CALLER, { ...input, reason: DEMO_REASON }));
    const change = { offerKey: input.key, expectedVersion: version, reason: DEMO_REASON };
    getValue(await this.offers.activate(DEMO_CALLER, change));
  }

  private async buy({ card, ...input }: DemoData['purchases'][number]): Promise<void> {
    const { tenantKey, offerKey, provider } = input;
    const offer = await this.offerRows.findByKey(offerKey);
    if (offer === null || this.providers.find(provider) === undefined) return;
    const page = { first: 100, after: undefined };
    const known = await this.purchases.list({ tenantKey, status: undefined }, page);
    if (known.some(({ offerId }) => offerId === offer.id)) return;
    const order = { ...input, expectedPriceMinor: Number(offer.priceMinor), reason: DEMO_REASON };
    const { checkoutRef, tenantId } = getValue(await this.starts.start(DEMO_CALLER, order));
    if (card === null || checkoutRef === null) return;
    await this.bank.pay(checkoutRef, card);
    await this.deliveries.deliver(tenantId);
  }
}
