import { Injectable } from '@nestjs/common';
import { type UsageFrame, type UsageRow } from '@tollgate/contracts';
import {
  OffersRepository,
  PaymentProviders,
  PurchaseStartService,
  PurchasesRepository,
  TestBank,
  TestDeliveries,
} from '../features/commerce/index.js';
import { ChangeSetsRepository, ChangeSetsService } from '../features/governance/index.js';
import { ServiceTokensService } from '../features/identity/index.js';
import { WebhooksService } from '../features/notify/index.js';
import { UsageIngest } from '../features/usage/index.js';
import { addDays, Clock } from '../platform/clock.js';
import { DEMO_CALLER, DEMO_REASON, type DemoData, getValue } from './demo-data.js';

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
  ) {}

  async run({ purchases }: Pick<DemoData, 'purchases'>): Promise<void> {
    for (const { card, ...input } of purchases) {
      const { tenantKey, offerKey, provider } = input;
      const offer = await this.offers.findByKey(offerKey);
      if (offer === null || this.providers.find(provider) === undefined) continue;
      const present = await this.purchases.list({ tenantKey, status: undefined }, PAGE);
      if (present.some(({ offerId }) => offerId === offer.id)) continue;
      const order = { ...input, expectedPriceMinor: Number(offer.priceMinor), reason: DEMO_REASON };
      const { checkoutRef, tenantId } = getValue(await this.starts.start(DEMO_CALLER, order));
      if (card === undefined || checkoutRef === null) continue;
      await this.bank.pay(checkoutRef, card);
      await this.deliveries.deliver(tenantId);
    }
  }
}

/** Adds webhook endpoints, service tokens and change sets that wait for approval. */
@Injectable()
export class DemoGovernanceSeed {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly tokens: ServiceTokensService,
    private readonly changeSets: ChangeSetsService,
    private readonly changeSetRows: ChangeSetsRepository,
    private readonly clock: Clock,
  ) {}

  async run({ webhookEndpoints, serviceTokens, changeSets }: DemoData): Promise<void> {
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
      const expiresAt = addDays(this.clock.now(), endsInDays);
      getValue(await this.tokens.create(DEMO_CALLER, { ...input, expiresAt, reason }));
    }
    const sets = await this.changeSetRows.list(PAGE);
    for (const { items, ...input } of changeSets) {
      if (sets.some(({ title }) => title === input.title)) continue;
      const created = await this.changeSets.create(DEMO_CALLER, { ...input, needsApproval: true, reason });
      const { id, version } = getValue(created);
      const filled = await this.changeSets.add(DEMO_CALLER, { id, expectedVersion: version, reason }, items);
      const target = { id, expectedVersion: getValue(filled).version, reason };
      getValue(await this.changeSets.submit(DEMO_CALLER, target));
    }
  }
}

const HOUR_MS = 3_600_000;
const HOURS = 14 * 24;
const HOURS_PER_FRAME = 24;

/** Adds two weeks of usage, as reported by one node. */
@Injectable()
export class DemoUsageSeed {
  constructor(
    private readonly ingest: UsageIngest,
    private readonly clock: Clock,
  ) {}

  /** A repeated run adds nothing: frames are counted once. */
  async run({ usage }: DemoData): Promise<void> {
    const end = Math.floor(this.clock.now().getTime() / HOUR_MS);
    const start = end - HOURS;
    const frames: UsageFrame[] = [];
    for (let first = 0; first < HOURS; first += HOURS_PER_FRAME) {
      const hours = Array.from({ length: HOURS_PER_FRAME }, (_, i) => start + first + i);
      frames.push({
        nodeId: 'demo',
        epoch: 'history',
        sequence: first / HOURS_PER_FRAME + 1,
        atMs: (start + first + HOURS_PER_FRAME) * HOUR_MS,
        rows: usage.flatMap((one) =>
          hours.filter((at) => at >= end - (one.lastHours ?? HOURS)).flatMap((at) => rowsOf(one, at)),
        ),
      });
    }
    await this.ingest.add(frames);
  }
}

/** Usage of one hour: less at night and at weekends; the same for each set-up within the hour. */
function rowsOf(
  { perHour, deniedPercent, lastHours: _, ...names }: DemoData['usage'][number],
  hour: number,
): UsageRow[] {
  const date = new Date(hour * HOUR_MS);
  const byHour = 1 - Math.cos(((date.getUTCHours() - 2) / 24) * 2 * Math.PI);
  const byDay = [0, 6].includes(date.getUTCDay()) ? 0.4 : 1;
  const count = Math.round(perHour * byHour * byDay * (0.8 + ((hour * 37) % 41) / 100));
  const denied = Math.floor((count * deniedPercent * byHour) / 100);
  const row = (outcome: UsageRow['outcome'], of: number): UsageRow[] =>
    of === 0 ? [] : [{ ...names, outcome, minute: hour * 60 + (hour % 60), count: of, units: of }];
  return [...row('allowed', count - denied), ...row('denied', denied)];
}
