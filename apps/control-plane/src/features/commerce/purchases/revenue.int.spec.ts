import { randomFrom } from '@tollgate/test-kit/random';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orderPurchases } from '../../../../test/support/ordered-purchases.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { jobActor } from '../../../platform/access/actor.js';
import { newId } from '../../../platform/ids.js';
import { Database } from '../../../platform/prisma/database.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { CommerceModule } from '../commerce.modules.js';
import type { PurchaseFact } from '../payments/payment-provider.js';
import { foldPurchase, orderOf, snapshotAt } from './purchase.fold.js';
import { PurchaseEventsService } from './purchase-events.service.js';
import { PurchasesRepository } from './purchases.repository.js';
import { RevenueService } from './revenue.js';

const PURCHASES = 80;
const DAY_MS = 86_400_000;
const CALLER = { actor: jobActor('purchases'), requestId: 'req_revenue' };

let services: TestServices;

beforeAll(async () => {
  services = await startTestServices([CommerceModule]);
});
afterAll(() => services.stop());

const get = <T>(type: new (...args: never[]) => T): T => services.context.get(type, { strict: false });

describe('the revenue report', () => {
  it('equals a fold of all events of random purchases, renewals, failures, cancellations and refunds', async () => {
    const random = randomFrom(7);
    const { client } = get(Database);
    const ordered = await runInScope('all', () => orderPurchases(client as never, PURCHASES, random));
    const yearly = await runInScope('all', async () => {
      const { id: _, ...offer } = await client.offer.findFirstOrThrow();
      const copy = { ...offer, id: newId('offer'), key: 'yearly', effects: offer.effects as never };
      await client.offer.create({ data: copy });
      return copy.id;
    });
    for (const { id, story } of ordered) {
      if (random.below(3) === 0) {
        const data = { offerId: yearly, ...(story.kind === 'UPGRADE' ? { interval: 'YEAR' as const } : {}) };
        await runInScope('all', () => client.purchase.update({ where: { id }, data }));
      }
      const more: [number, PurchaseFact][] =
        random.below(2) === 0
          ? []
          : [
              [
                random.below(3),
                random.pick<PurchaseFact>([
                  { type: 'renewal_stopped' },
                  { type: 'renewal_failed', payment: `${id}-z` },
                ]),
              ],
            ];
      for (const [daysAgo, fact] of [...story.facts, ...more]) {
        const event = {
          source: 'test' as const,
          id: newId('purchaseEvent'),
          at: new Date(Date.now() - daysAgo * DAY_MS),
          fact,
        };
        await runInScope('all', () => get(PurchaseEventsService).book(CALLER, id, event));
      }
    }

    const expected = await runInScope('all', () => foldAll());
    const report = await runInScope('all', () => get(RevenueService).list());
    const euro = report.find(({ currency }) => currency === 'EUR');
    expect(expected.recurring.size).toBe(2);
    expect(expected.failedMinor).toBeGreaterThan(0);
    expect(new Map(euro?.offers.map((offer) => [offer.offerKey, offer.monthlyMinor]))).toEqual(
      expected.recurring,
    );
    expect(euro?.monthlyMinor).toBe([...expected.recurring.values()].reduce((sum, one) => sum + one, 0));
    expect(euro?.failedMinor).toBe(expected.failedMinor);
    expect(
      new Map(
        report
          .filter(({ receivedMinor }) => receivedMinor !== 0)
          .map((one) => [one.currency, one.receivedMinor]),
      ),
    ).toEqual(expected.kept);
    expect(euro?.upgrades).toEqual([{ tierKey: 'basic', tierName: 'Basic', purchases: expected.upgrades }]);
  });
});

/** The report, from the events of each purchase. */
async function foldAll() {
  const now = new Date();
  const rows = await get(Database).client.purchase.findMany({ include: { offer: true } });
  const recurring = new Map<string, number>();
  const kept = new Map<string, number>();
  let failedMinor = 0;
  let upgrades = 0;
  const add = (sums: Map<string, number>, key: string, amount: number) =>
    sums.set(key, (sums.get(key) ?? 0) + amount);
  for (const row of rows) {
    const events = await get(PurchasesRepository).listEvents(row.id);
    const state = foldPurchase(orderOf(row), events);
    const { grant, status } = snapshotAt(orderOf(row), state, now);
    const price = Number(row.amountMinor);
    if (state.renews && grant !== null)
      add(recurring, row.offer.key, row.interval === 'YEAR' ? Math.round(price / 12) : price);
    if (status === 'PAST_DUE') failedMinor += price;
    for (const { currency, amountMinor, refundedMinor, disputedMinor } of state.payments) {
      const amount = amountMinor - refundedMinor - disputedMinor;
      if (amount !== 0) add(kept, currency, amount);
    }
    const paidAt = Math.min(
      ...events.flatMap(({ fact, at }) => (fact.type === 'paid' ? [at.getTime()] : [])),
    );
    const isRecent = paidAt >= now.getTime() - 30 * DAY_MS && paidAt !== Number.POSITIVE_INFINITY;
    if (row.kind === 'UPGRADE' && isRecent && (status === 'ACTIVE' || status === 'PAST_DUE')) upgrades += 1;
  }
  return { recurring, kept, failedMinor, upgrades };
}
