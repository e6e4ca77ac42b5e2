import { createPolicy } from './policy-factory.js';
import { startTestApp, type TestApp } from './test-app.js';

/** GraphQL inputs of one offer of each kind. */
export const UPGRADE = {
  key: 'more',
  name: 'More requests',
  kind: 'UPGRADE',
  priceMinor: 4900,
  currency: 'EUR',
  interval: 'MONTH',
  effects: [
    { apiKey: 'shop', limitName: 'per-minute', kind: 'MULTIPLY', percent: 200 },
    { appliesTo: 'QUOTA', kind: 'ADD', units: 1000 },
  ],
};
export const TOPUP = {
  key: 'pack',
  name: 'Pack of 500',
  kind: 'TOPUP',
  priceMinor: 900,
  currency: 'EUR',
  validDays: 30,
  maxQuantity: 10,
  effects: [{ apiKey: 'shop', kind: 'ADD', units: 500 }],
};

const PURCHASE = `id status renews paidThrough graceEndsAt checkoutUrl amountMinor currency quantity label
  events { source type payment amountMinor reason }
  payments { ref amountMinor status reviewReason refundedMinor disputedMinor }
  moneyEntries { account amountMinor currency }`;

const CREATE =
  'mutation($input: OfferCreateInput!) { offerCreate(input: $input) { offer { version } userErrors { field message } } }';
const ACTIVATE =
  'mutation($input: OfferChangeInput!) { offerActivate(input: $input) { userErrors { field message } } }';

/** A mutation with a purchase in its payload. */
export function mutation(name: string, input: string): string {
  return `mutation($input: ${input}!) {
    result: ${name}(input: $input) { changeId purchase { ${PURCHASE} } userErrors { code field message } }
  }`;
}

export const START = mutation('purchaseStart', 'PurchaseStartInput');

/** A control plane that sells one offer of each kind, through the test provider by default. */
export async function startShop(
  env: Record<string, string> = { PAYMENT_TEST_ENABLED: 'true' },
): Promise<{ app: TestApp; shop: Shop }> {
  const app = await startTestApp(env);
  await createPolicy(app);
  const shop = new Shop(app);
  await shop.sell(UPGRADE);
  await shop.sell(TOPUP);
  return { app, shop };
}

/** Actions of a test shop; each throws on errors. */
export class Shop {
  constructor(private readonly app: TestApp) {}

  async sell<T extends { key: string }>(offer: T): Promise<void> {
    const created = await this.app.graphql(CREATE, { input: offer });
    check(created.errors, created.data?.offerCreate.userErrors);
    const input = { offerKey: offer.key, expectedVersion: created.data.offerCreate.offer.version };
    const activated = await this.app.graphql(ACTIVATE, { input });
    check(activated.errors, activated.data?.offerActivate.userErrors);
  }

  async createTenant(key: string): Promise<void> {
    const query =
      'mutation($input: TenantCreateInput!) { tenantCreate(input: $input) { userErrors { message } } }';
    const input = { key, name: key, tierKey: 'basic' };
    const { data, errors } = await this.app.graphql(query, { input });
    check(errors, data?.tenantCreate.userErrors);
  }

  /** An unpaid order. */
  async order(offer: { key: string; priceMinor: number }, more: object = {}) {
    const input = {
      tenantKey: 'acme',
      offerKey: offer.key,
      provider: 'TEST',
      expectedPriceMinor: offer.priceMinor,
      ...more,
    };
    const { data, errors } = await this.app.graphql(START, { input });
    check(errors, data?.result.userErrors);
    return data.result.purchase;
  }

  /** Submits the card page and returns its redirect. */
  async payWith(purchase: { checkoutUrl: string }, number = '4242 4242 4242 4242'): Promise<Response> {
    const { pathname } = new URL(purchase.checkoutUrl);
    return fetch(`${this.app.url}${pathname}`, {
      method: 'POST',
      body: new URLSearchParams({ number }),
      redirect: 'manual',
    });
  }

  async buy(offer: { key: string; priceMinor: number }, number?: string, more: object = {}) {
    const purchase = await this.order(offer, more);
    await this.payWith(purchase, number);
    return this.read(purchase.id);
  }

  async read(id: string) {
    const { data, errors } = await this.app.graphql(`query($id: ID!) { purchase(id: $id) { ${PURCHASE} } }`, {
      id,
    });
    check(errors, []);
    return data.purchase;
  }

  async advance(tenantKey: string, to: Date): Promise<void> {
    const query =
      'mutation($input: TestClockAdvanceInput!) { testClockAdvance(input: $input) { userErrors { field message } } }';
    const { data, errors } = await this.app.graphql(query, { input: { tenantKey, to: to.toISOString() } });
    check(errors, data?.testClockAdvance.userErrors);
  }

  async noticesOf(tenantKey: string): Promise<string[]> {
    const rows = await this.app.database.notice.findMany({ where: { tenantKey }, orderBy: { id: 'asc' } });
    return rows.map(({ kind }) => kind);
  }
}

function check(errors: { message: string }[], userErrors: { message: string }[] | undefined): void {
  const [problem] = [...errors, ...(userErrors ?? [])];
  if (problem !== undefined) throw new Error(`${JSON.stringify(problem)}`);
}
