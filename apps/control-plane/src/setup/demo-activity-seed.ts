import { Injectable } from '@nestjs/common';
import {
  OffersRepository,
  PaymentProviders,
  PurchaseStartService,
  PurchasesRepository,
  PurchaseTimersService,
  TestBank,
  TestDeliveries,
} from '../features/commerce/index.js';
import { ChangeSetsRepository, ChangeSetsService } from '../features/governance/index.js';
import { ServiceTokensService } from '../features/identity/index.js';
import { WebhooksService } from '../features/notify/index.js';
import { addDays } from '../platform/clock.js';
import { DemoClock } from './demo-clock.js';
import { DEMO_CALLER, DEMO_REASON, type DemoData, getValue } from './demo-data.js';
import { DemoCallers } from './demo-tenants-seed.js';

const PAGE = { first: 100, after: undefined };

/** Buys offers with the payment providers of this installation. */
@Injectable()
export class DemoShopSeed {
  constructor(
    private readonly offers: OffersRepository,
    private readonly starts: PurchaseStartService,
    private readonly purchases: PurchasesRepository,
    private readonly providers: PaymentProviders,
    private readonly bank: TestBank,
    private readonly deliveries: TestDeliveries,
    private readonly timers: PurchaseTimersService,
  ) {}

  async buy({ card, daysAgo: _, ...input }: DemoData['purchases'][number]): Promise<void> {
    const { tenantKey, offerKey, provider } = input;
    const offer = await this.offers.findByKey(offerKey);
    if (offer === null || this.providers.find(provider) === undefined) return;
    const present = await this.purchases.list({ tenantKey, status: undefined }, PAGE);
    if (present.some(({ offerId }) => offerId === offer.id)) return;
    const order = { ...input, expectedPriceMinor: Number(offer.priceMinor), reason: DEMO_REASON };
    const { checkoutRef, tenantId } = getValue(await this.starts.start(DEMO_CALLER, order));
    if (card === undefined || checkoutRef === null) return;
    await this.bank.pay(checkoutRef, card);
    await this.deliveries.deliver(tenantId);
  }

  /** Charges due renewals, issues invoices and ends what is over. */
  async bill(): Promise<void> {
    await this.deliveries.run();
    await this.timers.run();
    await this.deliveries.deliver();
  }
}

/** Adds webhook endpoints, service tokens and change sets that wait for approval. */
@Injectable()
export class DemoGovernanceSeed {
  constructor(
    private readonly callers: DemoCallers,
    private readonly webhooks: WebhooksService,
    private readonly tokens: ServiceTokensService,
    private readonly changeSets: ChangeSetsService,
    private readonly changeSetRows: ChangeSetsRepository,
    private readonly clock: DemoClock,
  ) {}

  async addAccess({ webhookEndpoints, serviceTokens }: DemoData): Promise<void> {
    const reason = DEMO_REASON;
    for (const { enabled, ...input } of webhookEndpoints) {
      const present = await this.webhooks.list(input.tenantKey ?? null);
      if (present.some(({ url }) => url === input.url)) continue;
      const { endpoint } = getValue(await this.webhooks.create(DEMO_CALLER, { ...input, reason }));
      const target = { id: endpoint.id, expectedVersion: endpoint.version, reason };
      if (!enabled) getValue(await this.webhooks.setEnabled(DEMO_CALLER, target, false));
    }
    const tokens = await this.tokens.list();
    for (const { endsInDays, ...input } of serviceTokens) {
      if (tokens.some(({ name }) => name === input.name)) continue;
      const expiresAt = addDays(new Date(this.clock.presentMs()), endsInDays);
      getValue(await this.tokens.create(DEMO_CALLER, { ...input, expiresAt, reason }));
    }
  }

  async submit({ items, hoursAgo: _, by, ...input }: DemoData['changeSets'][number]): Promise<void> {
    const reason = DEMO_REASON;
    const caller = await this.callers.callerOf(by);
    const sets = await this.changeSetRows.list(PAGE);
    if (sets.some(({ title }) => title === input.title)) return;
    const created = await this.changeSets.create(caller, { ...input, needsApproval: true, reason });
    const { id, version } = getValue(created);
    const filled = await this.changeSets.add(caller, { id, expectedVersion: version, reason }, items);
    const target = { id, expectedVersion: getValue(filled).version, reason };
    getValue(await this.changeSets.submit(caller, target));
  }
}
