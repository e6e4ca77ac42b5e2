import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AutoTopUpJob, AutoTopUpOrders } from '../src/features/commerce/auto-top-ups/auto-top-up.job.js';
import { TestDeliveries, TestProviderJob } from '../src/features/commerce/checkout/webhooks.js';
import { createMeteredTenant, reportUsage } from './support/metered-tenant.js';
import { type Shop, startShop } from './support/shop.js';
import { signInMember } from './support/sign-in-member.js';
import { pauseJob, type TestApp } from './support/test-app.js';

type Headers = Record<string, string>;

const FIELDS = `id status stopReason thresholdUnits thresholdPercent capMinor spentMinor isCapReached currency
  agreedPriceMinor cardLabel hasOpenOrder offer { key priceMinor }`;
const SET = `mutation($input: AutoTopUpSetInput!) {
  result: autoTopUpSet(input: $input) { autoTopUp { ${FIELDS} } userErrors { code field message } } }`;
const TURN_OFF = `mutation($input: AutoTopUpTurnOffInput!) {
  result: autoTopUpTurnOff(input: $input) { autoTopUp { ${FIELDS} } userErrors { code field } } }`;
const LIST = `query($tenantKey: String!) { result: autoTopUps(tenantKey: $tenantKey) { ${FIELDS} } }`;
const CARDS = `query($tenantKey: String!) {
  result: paymentCards(tenantKey: $tenantKey) { providers problem cards { provider ref label } } }`;
const LINK = `mutation($input: PaymentCardLinkInput!) {
  result: paymentCardLink(input: $input) { url userErrors { code field message } } }`;

let app: TestApp;
let shop: Shop;
let owner: Headers;
let card: string;

beforeAll(async () => {
  ({ app, shop } = await startShop({ PAYMENT_TEST_ENABLED: 'true', PAYMENT_INVOICE_ENABLED: 'true' }));
  for (const job of [AutoTopUpJob, TestProviderJob]) pauseJob(app, job);
  for (const key of ['metered', 'other']) await createMeteredTenant(app, key);
  owner = await signInMember(app, 'metered', 'OWNER');
  const input = {
    tenantKey: 'metered',
    provider: 'TEST',
    currency: 'EUR',
    returnPath: '/portal/metered/usage',
  };
  const { result } = await ask(LINK, { input });
  await shop.payWith({ checkoutUrl: result.url });
  card = (await ask(CARDS, { tenantKey: 'metered' })).result.cards[0].ref;
});
afterAll(() => app.stop());

const ask = async (query: string, variables: object, headers: Headers = owner) =>
  (await app.graphql(query, variables, headers)).data;

const inputWith = (more: object = {}) => ({
  ...{ tenantKey: 'metered', apiKey: 'shop', limitName: 'monthly', offerKey: 'pack', provider: 'TEST', card },
  ...{ thresholdUnits: 100, capMinor: 2000, expectedPriceMinor: 900 },
  ...more,
});

describe('a saved card', () => {
  it('is saved on the page of the provider, which redirects to the console', async () => {
    const input = {
      tenantKey: 'metered',
      provider: 'TEST',
      currency: 'EUR',
      returnPath: '/portal/metered/usage',
    };
    const { result } = await ask(LINK, { input });
    expect(result.userErrors).toEqual([]);
    const page = await (await fetch(`${app.url}${new URL(result.url).pathname}`)).text();
    expect(page).toContain('Save card');
    const declined = await shop.payWith({ checkoutUrl: result.url }, '4000 0000 0000 0002');
    expect([declined.status, await declined.text()]).toEqual([402, expect.stringContaining('was declined')]);
    const saved = await shop.payWith({ checkoutUrl: result.url }, '4000 0000 0000 0341');
    expect([saved.status, saved.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/\/portal\/metered\/usage$/),
    ]);
    expect(await (await fetch(`${app.url}${new URL(result.url).pathname}`)).text()).toContain('Saved.');
    expect((await ask(CARDS, { tenantKey: 'metered' })).result).toEqual({
      providers: ['TEST'],
      problem: null,
      cards: [
        { provider: 'TEST', ref: expect.any(String), label: 'Test card ending in 0341' },
        { provider: 'TEST', ref: card, label: 'Test card ending in 4242' },
      ],
    });
  });

  it('cannot be saved or charged with a payment method that has none', async () => {
    const input = { tenantKey: 'metered', provider: 'INVOICE', currency: 'EUR' };
    const error = { code: 'PROVIDER_UNAVAILABLE', field: ['provider'] };
    expect((await ask(LINK, { input })).result.userErrors).toMatchObject([error]);
    const invoiced = await ask(SET, { input: inputWith({ provider: 'INVOICE' }) });
    expect(invoiced.result.userErrors).toMatchObject([error]);
  });
});

describe('setting an auto top-up', () => {
  it.each([
    ['a rate limit', { limitName: 'per-minute' }, 'INVALID', 'limitName'],
    ['a limit that does not exist', { limitName: 'yearly' }, 'INVALID', 'limitName'],
    ['an offer that does not exist', { offerKey: 'none' }, 'NOT_FOUND', 'offerKey'],
    ['an upgrade', { offerKey: 'more', expectedPriceMinor: 4900 }, 'NOT_FOR_SALE', 'offerKey'],
    ['another price than the offer has', { expectedPriceMinor: 899 }, 'PRICE_CHANGED', 'expectedPriceMinor'],
    ['a cap below the price', { capMinor: 899 }, 'INVALID', 'capMinor'],
    ['a threshold of the whole quota', { thresholdUnits: 1000 }, 'INVALID', 'thresholdUnits'],
    ['two thresholds', { thresholdPercent: 10 }, 'INVALID', 'thresholdUnits'],
    ['no threshold', { thresholdUnits: null }, 'INVALID', 'thresholdUnits'],
    ['a card that is not saved', { card: 'tsc_none' }, 'INVALID', 'card'],
  ])('rejects %s', async (_, more, code, field) => {
    const { result } = await ask(SET, { input: inputWith(more) });
    expect(result).toMatchObject({ autoTopUp: null, userErrors: [{ code, field: [field] }] });
  });

  it('is possible for owners and buyers, and audited; operators only read it and turn it off', async () => {
    const buyer = await signInMember(app, 'metered', 'BUYER');
    const { result } = await ask(SET, { input: inputWith() }, buyer);
    expect(result).toMatchObject({
      userErrors: [],
      autoTopUp: {
        ...{ status: 'ON', thresholdUnits: 100, thresholdPercent: null, capMinor: 2000, spentMinor: 0 },
        ...{ agreedPriceMinor: 900, cardLabel: 'Test card ending in 4242', offer: { key: 'pack' } },
      },
    });
    for (const role of ['DEVELOPER', 'VIEWER'] as const) {
      const member = await signInMember(app, 'metered', role);
      const answers = [
        await app.graphql(SET, { input: inputWith() }, member),
        await app.graphql(LIST, { tenantKey: 'metered' }, member),
        await app.graphql(CARDS, { tenantKey: 'metered' }, member),
      ];
      expect(answers.map(({ errors }) => errors[0]?.extensions.code)).toEqual(Array(3).fill('FORBIDDEN'));
    }
    const billing = await app.signIn('BILLING');
    expect(
      (await ask(SET, { input: inputWith({ capMinor: 9000 }) }, billing)).result.userErrors,
    ).toMatchObject([{ code: 'INVALID', field: ['tenantKey'] }]);
    const input = { tenantKey: 'metered', id: result.autoTopUp.id, reason: 'Fraud' };
    expect((await ask(LIST, { tenantKey: 'metered' }, billing)).result).toMatchObject([{ status: 'ON' }]);
    expect((await ask(TURN_OFF, { input }, billing)).result.autoTopUp).toMatchObject({
      status: 'OFF',
      stopReason: 'OPERATOR',
    });
    const entries = await app.database.auditEntry.findMany({
      where: { action: { startsWith: 'autoTopUp.' } },
      orderBy: { id: 'asc' },
    });
    expect(entries).toMatchObject([
      { action: 'autoTopUp.set', after: { capMinor: 2000, agreedPriceMinor: 900 } },
      { action: 'autoTopUp.turnOff', reason: 'Fraud', before: { status: 'ON' } },
    ]);
    expect(await shop.noticesOf('metered')).toEqual(['auto_topup.turned_off']);
  });

  it('is not possible for members of another tenant, nor with its card', async () => {
    const stranger = await signInMember(app, 'other', 'OWNER');
    const { result } = await ask(SET, { input: inputWith() });
    const { id } = result.autoTopUp;
    const answers = [
      await app.graphql(SET, { input: inputWith() }, stranger),
      await app.graphql(TURN_OFF, { input: { tenantKey: 'metered', id } }, stranger),
      await app.graphql(LIST, { tenantKey: 'metered' }, stranger),
      await app.graphql(CARDS, { tenantKey: 'metered' }, stranger),
      await app.graphql(
        LINK,
        { input: { tenantKey: 'metered', provider: 'TEST', currency: 'EUR' } },
        stranger,
      ),
    ];
    expect(answers.map(({ errors }) => errors[0]?.extensions.code)).toEqual(Array(5).fill('NOT_FOUND'));
    const own = await ask(TURN_OFF, { input: { tenantKey: 'other', id } }, stranger);
    expect(own.result.userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['id'] }]);
    const foreignCard = await ask(SET, { input: inputWith({ tenantKey: 'other' }) }, stranger);
    expect(foreignCard.result.userErrors).toMatchObject([{ code: 'INVALID', field: ['card'] }]);
    expect((await ask(LIST, { tenantKey: 'metered' })).result).toMatchObject([{ id, status: 'ON' }]);
  });
});

describe('an order of an auto top-up', () => {
  it('is shown as automatic and grants its units when it is paid', async () => {
    await reportUsage(app, 'metered', 950);
    const [{ id }] = (await ask(LIST, { tenantKey: 'metered' })).result;
    await app.app.get(AutoTopUpOrders, { strict: false }).advance(id);
    expect((await ask(LIST, { tenantKey: 'metered' })).result).toMatchObject([{ hasOpenOrder: true }]);
    await app.app.get(TestDeliveries, { strict: false }).deliver();
    const purchases = '{ purchases(tenantKey: "metered") { nodes { status isAutomatic amountMinor } } }';
    expect((await ask(purchases, {})).purchases.nodes).toEqual([
      { status: 'ACTIVE', isAutomatic: true, amountMinor: 900 },
    ]);
    expect((await ask(LIST, { tenantKey: 'metered' })).result).toMatchObject([
      { hasOpenOrder: false, spentMinor: 900, isCapReached: false },
    ]);
    expect(await shop.noticesOf('metered')).toEqual(['auto_topup.turned_off', 'purchase.paid']);
  });
});
