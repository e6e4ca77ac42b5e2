import type { PrismaClient } from '@tollgate/database';
import { PRICE_MINOR, type Story, storiesOf } from './payment-stories.ts';
import type { Random } from './random.ts';

/** The grant of one purchase. */
export const UNITS = 500;

/** A tenant has at most 64 adjustments. */
const PURCHASES_PER_TENANT = 20;

export interface OrderedPurchase {
  id: string;
  name: string;
  story: Story;
}

/** Creates tenants with unpaid orders in an empty database. Returns the expected result of each. */
export async function orderPurchases(
  database: PrismaClient,
  count: number,
  random: Random,
): Promise<OrderedPurchase[]> {
  const tier = await database.tier.create({
    data: {
      id: id('tier', random),
      key: 'basic',
      name: 'Basic',
      versions: {
        create: { id: id('tver', random), number: 1, status: 'PUBLISHED', publishedAt: new Date() },
      },
    },
  });
  const effects = [{ appliesTo: 'quota', effect: { kind: 'add', units: UNITS } }];
  const offer = await database.offer.create({
    data: {
      id: id('ofr', random),
      key: 'units',
      name: 'Units',
      kind: 'TOPUP',
      priceMinor: PRICE_MINOR,
      currency: 'EUR',
      effects,
    },
  });
  const ordered: OrderedPurchase[] = [];
  let tenantId = '';
  for (let index = 0; index < count; index++) {
    if (index % PURCHASES_PER_TENANT === 0) {
      tenantId = id('ten', random);
      const key = `tenant-${index / PURCHASES_PER_TENANT}`;
      const subscription = { create: { id: id('sub', random), tierId: tier.id } };
      await database.tenant.create({ data: { id: tenantId, key, name: key, subscription } });
    }
    const purchaseId = id('pur', random);
    const stories = Object.entries(storiesOf(purchaseId, tenantId));
    const [name, story] = stories[index % stories.length] as (typeof stories)[number];
    const isUpgrade = story.kind === 'UPGRADE';
    await database.purchase.create({
      data: {
        id: purchaseId,
        tenantId,
        offerId: offer.id,
        provider: 'TEST',
        quantity: 1,
        kind: story.kind,
        label: 'Units',
        amountMinor: PRICE_MINOR,
        currency: 'EUR',
        interval: isUpgrade ? 'MONTH' : null,
        validDays: isUpgrade ? null : 30,
        graceDays: isUpgrade ? 7 : 0,
        effects,
        carryOver: 'KEEP',
        customerRef: tenantId,
        createdAt: new Date(),
      },
    });
    ordered.push({ id: purchaseId, name, story });
  }
  return ordered;
}

/** An id in the usual format, derived from the seed. */
export function id(prefix: string, random: Random): string {
  return `${prefix}_${Array.from({ length: 32 }, () => random.int(16).toString(16)).join('')}`;
}
