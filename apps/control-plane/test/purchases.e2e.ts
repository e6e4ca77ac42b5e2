import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDeliveries } from '../src/features/commerce/index.js';
import { versionOf } from './support/policy-factory.js';
import { mutation, type Shop, startShop, TOPUP, UPGRADE } from './support/shop.js';
import { ORIGIN, type TestApp } from './support/test-app.js';

const DAY_MS = 86_400_000;
const FAILS_RENEWAL = '4000 0000 0000 0341';
const DISPUTES = '4000-0000-0000-0259';

let app: TestApp;
let shop: Shop;
let count = 0;

beforeAll(async () => {
  ({ app, shop } = await startShop());
});
afterAll(() => app.stop());

/** A separate tenant, with its own clock and notices. */
async function createTenant(): Promise<string> {
  count += 1;
  const key = `tenant-${count}`;
  await shop.createTenant(key);
  return key;
}

async function setOverride(tenantKey: string, limit: number) {
  const query = `mutation($input: OverrideSetInput!) {
    result: overrideSet(input: $input) { warnings override { id } userErrors { code message } } }`;
  const effect = { kind: 'SET', limit };
  const input = { tenantKey, apiKey: 'shop', limit: 'per-minute', effect, reason: 'Contract' };
  const expectedVersion = await versionOf(app, 'tenant', tenantKey);
  return (await app.graphql(query, { input: { ...input, expectedVersion } })).data.result;
}

const previewOf = async (tenantKey: string, offerKey: string) =>
  (
    await app.graphql(
      `query($tenantKey: String!, $offerKey: String!) {
        purchasePreview(tenantKey: $tenantKey, offerKey: $offerKey) {
          limits { apiKey limitName before after } noEffect } }`,
      { tenantKey, offerKey },
    )
  ).data.purchasePreview;

async function lintOf(tenantKey: string) {
  const query = 'query($key: String!) { overrideLint(tenantKey: $key) { findings { code severity } } }';
  return (await app.graphql(query, { key: tenantKey })).data.overrideLint.findings;
}

const later = (days: number) => new Date(Date.now() + days * DAY_MS);
const change = async (name: string, type: string, input: object) =>
  (await app.graphql(mutation(name, type), { input })).data.result;
/** Balance of one account of a purchase. */
const balance = (
  { moneyEntries }: { moneyEntries: { account: string; amountMinor: string }[] },
  account: string,
) =>
  moneyEntries
    .filter((entry) => entry.account === account)
    .reduce((sum, entry) => sum + Number(entry.amountMinor), 0);
const total = ({ moneyEntries }: { moneyEntries: { amountMinor: string }[] }) =>
  moneyEntries.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0);

describe('payment methods', () => {
  it('lists the enabled ones to every signed-in user', async () => {
    const { id } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const viewer = await app.signInMember(id, 'VIEWER');
    const { data } = await app.graphql('{ paymentProviders }', {}, viewer);
    expect(data.paymentProviders).toContain('TEST');
    expect(data.paymentProviders).not.toContain('STRIPE');
    expect((await app.graphql('{ paymentProviders }', {}, {})).errors[0]?.extensions.code).toBe(
      'UNAUTHENTICATED',
    );
  });
});

describe('a purchase with a test card', () => {
  it('is pending until it is paid, and active when the card page redirects the payer', async () => {
    const tenantKey = await createTenant();
    const ordered = await shop.order(UPGRADE, { tenantKey, returnPath: '/tenants/x?tab=purchases' });
    expect(ordered).toMatchObject({ status: 'PENDING', amountMinor: 4900, renews: false, payments: [] });
    const answer = await shop.payWith(ordered);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${ORIGIN}/tenants/x?tab=purchases`,
    ]);
    const paid = await shop.read(ordered.id);
    expect(paid).toMatchObject({ status: 'ACTIVE', renews: true, checkoutUrl: null });
    expect([balance(paid, 'CASH'), total(paid)]).toEqual([4900, 0]);
    expect(await shop.noticesOf(tenantKey)).toEqual(['purchase.paid']);
  });

  it('lists its events by time', async () => {
    const tenantKey = await createTenant();
    const { id } = await shop.buy(UPGRADE, undefined, { tenantKey });
    await change('purchaseRefund', 'PurchaseRefundInput', { purchaseId: id, amountMinor: 1000 });
    const [{ ref: payment }] = (await shop.read(id)).payments;
    // The provider reports the refund by an event.
    await expect
      .poll(async () => (await shop.read(id)).events)
      .toEqual([
        { source: 'TEST', type: 'PAID', payment, amountMinor: 4900, reason: null },
        { source: 'TEST', type: 'REFUNDED', payment, amountMinor: 1000, reason: null },
      ]);
  });

  it('is paid once even if the form is submitted several times', async () => {
    const tenantKey = await createTenant();
    const ordered = await shop.order(TOPUP, { tenantKey, quantity: 3 });
    await Promise.all(Array.from({ length: 5 }, () => shop.payWith(ordered)));
    const paid = await shop.read(ordered.id);
    expect(paid).toMatchObject({
      status: 'ACTIVE',
      renews: false,
      amountMinor: 2700,
      label: '3 × Pack of 500',
    });
    expect(paid.payments).toHaveLength(1);
  });

  it('stays pending after a declined card, and can be paid with another one', async () => {
    const ordered = await shop.order(TOPUP, { tenantKey: await createTenant() });
    const answer = await shop.payWith(ordered, '4000 0000 0000 0002');
    expect(answer.status).toBe(402);
    expect(await answer.text()).toContain('Your card was declined.');
    expect(await shop.read(ordered.id)).toMatchObject({ status: 'PENDING', payments: [] });
    await shop.payWith(ordered);
    expect(await shop.read(ordered.id)).toMatchObject({ status: 'ACTIVE' });
  });

  it('ends when the card owner disputes the payment', async () => {
    const tenantKey = await createTenant();
    const purchase = await shop.buy(UPGRADE, DISPUTES, { tenantKey });
    expect(purchase).toMatchObject({ status: 'DISPUTED', renews: false });
    expect([balance(purchase, 'CASH'), balance(purchase, 'DISPUTED'), total(purchase)]).toEqual([0, 4900, 0]);
    expect(await shop.noticesOf(tenantKey)).toContain('purchase.disputed');
  });
});

describe('a test clock', () => {
  it('renews an upgrade at the end of each month', async () => {
    const tenantKey = await createTenant();
    const { id } = await shop.buy(UPGRADE, undefined, { tenantKey });
    await shop.advance(tenantKey, later(70));
    const purchase = await shop.read(id);
    expect(purchase).toMatchObject({ status: 'ACTIVE', renews: true });
    expect(purchase.payments).toHaveLength(3);
    expect([balance(purchase, 'CASH'), total(purchase)]).toEqual([3 * 4900, 0]);
    expect(await shop.noticesOf(tenantKey)).toEqual([
      'purchase.paid',
      'purchase.renewed',
      'purchase.renewed',
    ]);
  });

  it('fails a renewal, passes the grace period and expires', async () => {
    const tenantKey = await createTenant();
    const { id, paidThrough } = await shop.buy(UPGRADE, FAILS_RENEWAL, { tenantKey });
    const end = new Date(paidThrough);
    await shop.advance(tenantKey, new Date(end.getTime() + DAY_MS));
    const graceEndsAt = new Date(end.getTime() + 7 * DAY_MS).toISOString();
    expect(await shop.read(id)).toMatchObject({ status: 'PAST_DUE', graceEndsAt });
    await shop.advance(tenantKey, new Date(end.getTime() + 8 * DAY_MS));
    expect(await shop.read(id)).toMatchObject({ status: 'EXPIRED', graceEndsAt: null });
    expect(await shop.noticesOf(tenantKey)).toEqual([
      'purchase.paid',
      'purchase.renewal_failed',
      'purchase.expired',
    ]);
  });

  it('processes every step of a long advance: reports the failed renewal and the expiry', async () => {
    const tenantKey = await createTenant();
    await shop.buy(UPGRADE, FAILS_RENEWAL, { tenantKey });
    await shop.advance(tenantKey, later(90));
    expect(await shop.noticesOf(tenantKey)).toEqual([
      'purchase.paid',
      'purchase.renewal_failed',
      'purchase.expired',
    ]);
  });

  it('expires a top-up, with a warning three days before', async () => {
    const tenantKey = await createTenant();
    const { id } = await shop.buy(TOPUP, undefined, { tenantKey });
    await shop.advance(tenantKey, later(26));
    expect(await shop.noticesOf(tenantKey)).toEqual(['purchase.paid']);
    await shop.advance(tenantKey, later(28));
    expect(await shop.noticesOf(tenantKey)).toEqual(['purchase.paid', 'topup.expiring']);
    await shop.advance(tenantKey, later(31));
    expect(await shop.read(id)).toMatchObject({ status: 'EXPIRED' });
  });

  it.each([
    ['goes back', later(-1), 'to'],
    ['jumps years', later(1000), 'to'],
  ])('never %s', async (_what, to, field) => {
    const input = { tenantKey: await createTenant(), to: to.toISOString() };
    const query =
      'mutation($input: TestClockAdvanceInput!) { testClockAdvance(input: $input) { userErrors { code field } } }';
    const { data } = await app.graphql(query, { input });
    expect(data.testClockAdvance.userErrors).toEqual([{ code: 'INVALID', field: [field] }]);
  });

  it('becomes the billing time of the tenant', async () => {
    const tenantKey = await createTenant();
    const query = 'query($tenantKey: String!) { billingTime(tenantKey: $tenantKey) { now isTest } }';
    expect((await app.graphql(query, { tenantKey })).data.billingTime.isTest).toBe(false);
    const to = later(10);
    await shop.advance(tenantKey, to);
    expect((await app.graphql(query, { tenantKey })).data.billingTime).toEqual({
      now: to.toISOString(),
      isTest: true,
    });
    const { paidThrough } = await shop.buy(TOPUP, undefined, { tenantKey });
    expect(new Date(paidThrough).getTime()).toBe(to.getTime() + 30 * DAY_MS);
  });
});

describe('canceling a purchase', () => {
  it('stops the renewal; the purchase stays active until the end of the paid period', async () => {
    const tenantKey = await createTenant();
    const { id } = await shop.buy(UPGRADE, undefined, { tenantKey });
    const stopped = await change('purchaseCancel', 'PurchaseCancelInput', { purchaseId: id });
    expect(stopped).toMatchObject({ userErrors: [], purchase: { status: 'ACTIVE', renews: false } });
    await shop.advance(tenantKey, later(40));
    const purchase = await shop.read(id);
    expect(purchase).toMatchObject({ status: 'EXPIRED' });
    expect(purchase.payments).toHaveLength(1);
    const again = await change('purchaseCancel', 'PurchaseCancelInput', { purchaseId: id });
    expect(again.userErrors).toMatchObject([{ code: 'INVALID', field: ['purchaseId'] }]);
  });

  it('cancels an unpaid order', async () => {
    const { id } = await shop.order(UPGRADE, { tenantKey: await createTenant() });
    const { purchase } = await change('purchaseCancel', 'PurchaseCancelInput', { purchaseId: id });
    expect(purchase.status).toBe('CANCELED');
  });

  it('changes nothing in a dry run', async () => {
    const { id } = await shop.buy(UPGRADE, undefined, { tenantKey: await createTenant() });
    await change('purchaseCancel', 'PurchaseCancelInput', { purchaseId: id, dryRun: true });
    expect(await shop.read(id)).toMatchObject({ status: 'ACTIVE', renews: true });
  });
});

describe('a refund', () => {
  it('keeps the entitlements after a partial refund and revokes them after a full one', async () => {
    const tenantKey = await createTenant();
    const { id } = await shop.buy(UPGRADE, undefined, { tenantKey });
    const refund = (more: object) =>
      change('purchaseRefund', 'PurchaseRefundInput', { purchaseId: id, ...more });
    expect((await refund({ amountMinor: 1000 })).userErrors).toEqual([]);
    await deliver();
    expect(await shop.read(id)).toMatchObject({ status: 'ACTIVE', payments: [{ refundedMinor: 1000 }] });
    expect((await refund({ amountMinor: 4000 })).userErrors).toMatchObject([
      { code: 'INVALID', field: ['amountMinor'] },
    ]);
    await refund({});
    await deliver();
    const purchase = await shop.read(id);
    expect(purchase).toMatchObject({ status: 'REFUNDED', payments: [{ refundedMinor: 4900 }] });
    expect([balance(purchase, 'CASH'), balance(purchase, 'REVENUE')]).toEqual([0, 0]);
    expect((await refund({})).userErrors).toMatchObject([{ field: ['amountMinor'] }]);
    const notices = await shop.noticesOf(tenantKey);
    expect(notices.filter((kind) => kind === 'purchase.refunded')).toHaveLength(2);
  });

  it('rejects an amount that the provider cannot charge back, with the nearest one that it can', async () => {
    const dinar = { ...TOPUP, key: 'dinar', currency: 'KWD', priceMinor: 12_340 };
    await shop.sell(dinar);
    const { id: purchaseId } = await shop.buy(dinar, undefined, { tenantKey: await createTenant() });
    const refund = (amountMinor: number) =>
      change('purchaseRefund', 'PurchaseRefundInput', { purchaseId, amountMinor });
    expect((await refund(1234)).userErrors).toMatchObject([
      { field: ['amountMinor'], message: 'The last digit must be 0, such as KWD\u00a01.230.' },
    ]);
    expect((await refund(1230)).userErrors).toEqual([]);
  });

  it('rejects an unknown payment or an amount above the rest', async () => {
    const none = await change('purchaseRefund', 'PurchaseRefundInput', { purchaseId: 'pur_0' });
    expect(none.userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['purchaseId'] }]);
    const { id } = await shop.order(TOPUP, { tenantKey: await createTenant() });
    const unpaid = await change('purchaseRefund', 'PurchaseRefundInput', { purchaseId: id });
    expect(unpaid.userErrors).toMatchObject([{ code: 'NOT_FOUND', field: ['payment'] }]);
  });
});

/** Delivers all events of the test provider. */
async function deliver(): Promise<void> {
  await app.app.get(TestDeliveries, { strict: false }).run();
}

describe('an offer that would change no limit', () => {
  const startOf = async (tenantKey: string, offerKey: string, expectedPriceMinor: number) =>
    change('purchaseStart', 'PurchaseStartInput', {
      tenantKey,
      offerKey,
      provider: 'TEST',
      expectedPriceMinor,
    });

  it('is refused with NO_EFFECT and the reason while an override sets the limit', async () => {
    const tenantKey = await createTenant();
    expect(await previewOf(tenantKey, UPGRADE.key)).toEqual({
      limits: [{ apiKey: 'shop', limitName: 'per-minute', before: 10, after: 20 }],
      noEffect: null,
    });
    expect((await setOverride(tenantKey, 40)).userErrors).toEqual([]);
    const noEffect =
      'Limit "per-minute" of API "shop" is set to 40 by an override, which takes precedence over upgrades.';
    expect(await previewOf(tenantKey, UPGRADE.key)).toEqual({
      limits: [{ apiKey: 'shop', limitName: 'per-minute', before: 40, after: 40 }],
      noEffect,
    });
    expect(await startOf(tenantKey, UPGRADE.key, UPGRADE.priceMinor)).toMatchObject({
      purchase: null,
      userErrors: [{ code: 'NO_EFFECT', field: ['offerKey'], message: noEffect }],
    });
    expect(await app.database.purchase.count({ where: { tenant: { key: tenantKey } } })).toBe(0);
  });

  it('is refused on an API where the tenant has no limit', async () => {
    const tenantKey = await createTenant();
    const create = 'mutation { apiCreate(input: { key: "mail", name: "Mail" }) { userErrors { message } } }';
    expect((await app.graphql(create)).data.apiCreate.userErrors).toEqual([]);
    const offer = { ...TOPUP, key: 'mail-pack', effects: [{ apiKey: 'mail', kind: 'ADD', units: 500 }] };
    await shop.sell(offer);
    expect(await startOf(tenantKey, offer.key, offer.priceMinor)).toMatchObject({
      purchase: null,
      userErrors: [{ code: 'NO_EFFECT', message: 'The tenant has no limit that this offer raises.' }],
    });
  });

  it('needs review when an override took the effect away between order and payment', async () => {
    const tenantKey = await createTenant();
    const rate = {
      ...UPGRADE,
      key: 'more-per-minute',
      name: 'More per minute',
      effects: [UPGRADE.effects[0]],
    };
    await shop.sell(rate);
    const order = await shop.order(rate, { tenantKey });
    const { warnings, override } = await setOverride(tenantKey, 9);
    expect(warnings).toContainEqual(`The override makes "${rate.name}" ineffective.`);
    expect(await lintOf(tenantKey)).toEqual([{ code: 'HIDES_PURCHASE', severity: 'WARNING' }]);
    await shop.payWith(order);
    const unpaid = await shop.read(order.id);
    expect(unpaid).toMatchObject({
      status: 'NEEDS_REVIEW',
      payments: [{ status: 'NEEDS_REVIEW', reviewReason: 'NO_EFFECT' }],
    });
    expect(await shop.noticesOf(tenantKey)).toContain('purchase.needs_review');
    const remove =
      'mutation($input: OverrideRemoveInput!) { overrideRemove(input: $input) { userErrors { code } } }';
    await app.graphql(remove, { input: { overrideId: override.id } });
    const decision = { purchaseId: order.id, payment: unpaid.payments[0].ref };
    expect(await change('purchaseApprove', 'PaymentDecisionInput', decision)).toMatchObject({
      userErrors: [],
      purchase: { status: 'ACTIVE' },
    });
  });

  it('is granted when it is approved without an effect, and lint reports the override', async () => {
    const tenantKey = await createTenant();
    const order = await shop.order({ ...UPGRADE, key: 'more-per-minute' }, { tenantKey });
    await setOverride(tenantKey, 9);
    await shop.payWith(order);
    const { payments } = await shop.read(order.id);
    await change('purchaseApprove', 'PaymentDecisionInput', {
      purchaseId: order.id,
      payment: payments[0].ref,
    });
    expect(await shop.read(order.id)).toMatchObject({ status: 'ACTIVE' });
    expect(await lintOf(tenantKey)).toEqual([{ code: 'HIDES_PURCHASE', severity: 'WARNING' }]);
  });

  it('warns and notifies operators when an override makes a paid upgrade ineffective', async () => {
    const tenantKey = await createTenant();
    expect(await shop.buy(UPGRADE, undefined, { tenantKey })).toMatchObject({ status: 'ACTIVE' });
    const { warnings, override } = await setOverride(tenantKey, 15);
    expect(warnings).toContainEqual(`The override makes "${UPGRADE.name}" ineffective.`);
    const where = { kind: 'override.hides_purchase', data: { path: ['tenant'], equals: tenantKey } };
    const notices = await app.database.notice.findMany({ where });
    expect(notices).toMatchObject([
      { tenantKey: null, data: { tenant: tenantKey, purchases: UPGRADE.name, overrideId: override.id } },
    ]);
    expect(await lintOf(tenantKey)).toEqual([{ code: 'HIDES_PURCHASE', severity: 'WARNING' }]);
  });
});
