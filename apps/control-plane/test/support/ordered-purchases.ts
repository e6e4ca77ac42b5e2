import type { PrismaClient } from '@tollgate/database';
import type { Random } from '@tollgate/test-kit/random';
import { PRICE_MINOR, type Story, storiesOf } from './payment-stories.ts';

/** The grant of one purchase. */
export const UNITS = 500;

const API = 'shop';

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
  const tierId = await createTier(database, random);
  const effects = [{ api: API, effect: { kind: 'add', units: UNITS } }];
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
      const subscription = { create: { id: id('sub', random), tierId } };
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
        // The control plane whose purchases these are may run in real time.
        createdAt: new Date(),
      },
    });
    ordered.push({ id: purchaseId, name, story });
  }
  return ordered;
}

/** A published tier with the limit that the orders raise. */
async function createTier(database: PrismaClient, random: Random): Promise<string> {
  const [tierId, versionId, apiId] = [id('tier', random), id('tver', random), id('api', random)];
  await database.api.create({ data: { id: apiId, key: API, name: API } });
  await database.tier.create({ data: { id: tierId, key: 'basic', name: 'Basic' } });
  await database.tierVersion.create({ data: { id: versionId, tierId, number: 1 } });
  await database.limit.create({
    data: {
      id: id('lim', random),
      tierVersionId: versionId,
      position: 0,
      name: 'per-minute',
      apiId,
      operations: [],
      per: [],
      algorithm: 'FIXED_WINDOW',
      limitMax: 10,
      windowMs: 60_000,
      alignment: 'CLOCK',
      terms: {},
    },
  });
  const published = { status: 'PUBLISHED', publishedAt: new Date() } as const;
  await database.tierVersion.update({ where: { id: versionId }, data: published });
  return tierId;
}

/** An id in the usual format, derived from the seed. */
export function id(prefix: string, random: Random): string {
  return `${prefix}_${Array.from({ length: 32 }, () => random.below(16).toString(16)).join('')}`;
}
