import { Injectable } from '@nestjs/common';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { requestLoader } from '../../../platform/graphql/request-loader.js';
import { type OfferRow, OffersRepository } from '../offers/offers.repository.js';
import { type PurchaseEvent } from '../payments/purchase-fact.js';
import { type MoneyEntryRow, MoneyRepository } from './money.repository.js';
import { foldPurchase } from './purchase.fold.js';
import { orderOf } from './purchase.order.js';
import { inOrder, type Payment } from './purchase.payments.js';
import { type PurchaseOfTenant, PurchasesRepository } from './purchases.repository.js';

const OFFERS = Symbol('offers by id');
const PURCHASES = Symbol('purchases by id');
const EVENTS = Symbol('events by purchase id');
const MONEY = Symbol('money entries by purchase id');

/** What is shown of purchases besides their rows; for a whole list, read at once. */
@Injectable()
export class PurchaseDetails {
  constructor(
    private readonly purchases: PurchasesRepository,
    private readonly money: MoneyRepository,
    private readonly offers: OffersRepository,
  ) {}

  offer(context: GraphqlContext, { offerId }: PurchaseOfTenant): Promise<OfferRow | null> {
    return requestLoader<OfferRow | null>(context, OFFERS, null, (ids) => this.offers.listByIds(ids)).load(
      offerId,
    );
  }

  /** The purchase that an invoice is for. */
  purchase(context: GraphqlContext, id: string): Promise<PurchaseOfTenant | null> {
    return requestLoader<PurchaseOfTenant | null>(context, PURCHASES, null, (ids) =>
      this.purchases.listByIds(ids),
    ).load(id);
  }

  async payments(context: GraphqlContext, purchase: PurchaseOfTenant): Promise<Payment[]> {
    return foldPurchase(orderOf(purchase), await this.loadEvents(context, purchase)).payments;
  }

  /** By time. */
  async events(context: GraphqlContext, purchase: PurchaseOfTenant): Promise<PurchaseEvent[]> {
    return inOrder(await this.loadEvents(context, purchase));
  }

  async moneyEntries(context: GraphqlContext, { id }: PurchaseOfTenant) {
    const loader = requestLoader<MoneyEntryRow[]>(context, MONEY, [], (ids) => this.money.list(ids));
    return (await loader.load(id)).map((entry) => ({ ...entry, amountMinor: String(entry.amountMinor) }));
  }

  private loadEvents(context: GraphqlContext, { id }: PurchaseOfTenant): Promise<PurchaseEvent[]> {
    return requestLoader<PurchaseEvent[]>(context, EVENTS, [], (ids) =>
      this.purchases.listEventsOf(ids),
    ).load(id);
  }
}
