import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutation, type Shop, START, startShop, TOPUP, UPGRADE } from './support/shop.js';
import type { TestApp } from './support/test-app.js';

const DAY_MS = 86_400_000;

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  // Test clocks require the test provider.
  ({ app, shop } = await startShop());
});
afterAll(() => app.stop());

const INVOICE = 'invoice { number status period amountMinor dueAt reference } userErrors { code field }';
const list = async (tenantKey = 'acme') =>
  (
    await app.graphql(
      `{ invoices(tenantKey: "${tenantKey}", first: 100) { totalCount nodes { id number status period dueAt purchaseId purchase { id tenantKey label } } } }`,
    )
  ).data.invoices.nodes;
const markPaid = async (input: object) =>
  (
    await app.graphql(
      `mutation($input: InvoiceMarkPaidInput!) { invoiceMarkPaid(input: $input) { ${INVOICE} } }`,
      { input },
    )
  ).data.invoiceMarkPaid;
const makeVoid = async (input: object) =>
  (
    await app.graphql(`mutation($input: InvoiceVoidInput!) { invoiceVoid(input: $input) { ${INVOICE} } }`, {
      input,
    })
  ).data.invoiceVoid;
const order = (offer: typeof UPGRADE | typeof TOPUP, more: object = {}) =>
  shop.order(offer, { provider: 'INVOICE', ...more });
const invoicesOf = async (id: string, tenantKey = 'acme') =>
  (await list(tenantKey)).filter(({ purchaseId }: { purchaseId: string }) => purchaseId === id);

describe('an invoice', () => {
  it('is issued with the order, and grants once when it is marked as paid', async () => {
    const purchase = await order(TOPUP);
    expect(purchase).toMatchObject({ status: 'PENDING', checkoutUrl: null });
    const [{ number, purchase: sold }] = await invoicesOf(purchase.id);
    expect(sold).toEqual({ id: purchase.id, tenantKey: 'acme', label: 'Pack of 500' });
    const { invoice, userErrors } = await markPaid({ number, reference: 'TRX 1' });
    expect([invoice, userErrors]).toMatchObject([
      { status: 'PAID', reference: 'TRX 1', amountMinor: 900 },
      [],
    ]);
    expect(await shop.read(purchase.id)).toMatchObject({ status: 'ACTIVE' });
    expect((await markPaid({ number })).userErrors).toEqual([{ code: 'INVALID', field: ['number'] }]);
    expect((await makeVoid({ number })).userErrors).toEqual([{ code: 'INVALID', field: ['number'] }]);
    expect((await markPaid({ number: 99_999 })).userErrors).toEqual([
      { code: 'NOT_FOUND', field: ['number'] },
    ]);
  });

  it('needs review when another amount was received', async () => {
    const purchase = await order(TOPUP);
    const [{ number }] = await invoicesOf(purchase.id);
    await markPaid({ number, receivedMinor: 90 });
    expect(await shop.read(purchase.id)).toMatchObject({
      status: 'NEEDS_REVIEW',
      payments: [{ reviewReason: 'WRONG_AMOUNT' }],
    });
  });

  it('cancels the order when it is voided', async () => {
    const purchase = await order(TOPUP);
    const [{ number }] = await invoicesOf(purchase.id);
    expect((await makeVoid({ number })).invoice.status).toBe('VOID');
    expect(await shop.read(purchase.id)).toMatchObject({ status: 'CANCELED' });
  });

  describe('of an order that nobody pays', () => {
    const SCARCE = { ...TOPUP, key: 'scarce', name: 'Scarce pack', stock: 2 };
    const stockLeft = async () =>
      (await app.graphql('{ offer(key: "scarce") { stockLeft } }')).data.offer.stockLeft;

    it('is void after its term and a week; the order is canceled and its stock released', async () => {
      const tenantKey = 'never-pays';
      await shop.createTenant(tenantKey);
      await shop.sell(SCARCE);
      const now = new Date(Date.now() + DAY_MS);
      await shop.advance(tenantKey, now);
      const { id } = await order(SCARCE, { tenantKey, quantity: 2 });
      await shop.advance(tenantKey, new Date(now.getTime() + 20 * DAY_MS));
      expect([(await shop.read(id)).status, await stockLeft()]).toEqual(['PENDING', 0]);
      await shop.advance(tenantKey, new Date(now.getTime() + 22 * DAY_MS));
      expect([(await shop.read(id)).status, await stockLeft()]).toEqual(['CANCELED', 2]);
      expect(await invoicesOf(id, tenantKey)).toMatchObject([{ status: 'VOID' }]);
    });

    it('lapses 21 days after the upgrade when an earlier release took the order', async () => {
      const tenantKey = 'ordered-before';
      await shop.createTenant(tenantKey);
      const { id } = await order(TOPUP, { tenantKey });
      const createdAt = new Date(Date.now() - 40 * DAY_MS);
      await app.database.purchase.update({ where: { id }, data: { createdAt, dueAt: null } });
      const readDueAt = async () => (await app.database.purchase.findUniqueOrThrow({ where: { id } })).dueAt;
      await expect.poll(readDueAt).not.toBeNull();
      const lapsesAt = (await readDueAt()) as Date;
      expect(lapsesAt.getTime()).toBeGreaterThan(Date.now() + 20 * DAY_MS);
      expect(await shop.read(id)).toMatchObject({ status: 'PENDING' });
      await shop.advance(tenantKey, lapsesAt);
      expect(await shop.read(id)).toMatchObject({ status: 'CANCELED' });
    });

    it('is one of at most 20 per tenant, even with concurrent orders', async () => {
      const tenantKey = 'hoarder';
      await shop.createTenant(tenantKey);
      const input = { tenantKey, offerKey: TOPUP.key, provider: 'INVOICE', expectedPriceMinor: 900 };
      const orders = await Promise.all(
        Array.from({ length: 23 }, async () => (await app.graphql(START, { input })).data.result),
      );
      const rejected = orders.flatMap(({ userErrors }) => userErrors);
      const error = {
        code: 'INVALID',
        field: ['tenantKey'],
        message: 'At most 20 unpaid orders. Pay or cancel one of them first.',
      };
      expect(rejected).toEqual([error, error, error]);
      const { id } = orders.find(({ purchase }) => purchase !== null).purchase;
      const cancel = mutation('purchaseCancel', 'PurchaseCancelInput');
      await app.graphql(cancel, { input: { purchaseId: id } });
      expect(await order(TOPUP, { tenantKey })).toMatchObject({ status: 'PENDING' });
    });
  });

  it('records the refund of a paid invoice immediately', async () => {
    const purchase = await order(TOPUP);
    const [{ number }] = await invoicesOf(purchase.id);
    await markPaid({ number });
    const { data } = await app.graphql(mutation('purchaseRefund', 'PurchaseRefundInput'), {
      input: { purchaseId: purchase.id },
    });
    expect(data.result).toMatchObject({ userErrors: [], purchase: { status: 'REFUNDED' } });
  });

  it('stays unchanged after a dry run', async () => {
    const purchase = await order(TOPUP);
    const [{ number }] = await invoicesOf(purchase.id);
    expect((await markPaid({ number, dryRun: true })).userErrors).toEqual([]);
    expect(await invoicesOf(purchase.id)).toMatchObject([{ status: 'OPEN' }]);
  });

  it('of a renewal is issued a week in advance, and fails when it is not paid', async () => {
    const tenantKey = 'slow';
    await shop.createTenant(tenantKey);
    const { id } = await order(UPGRADE, { tenantKey });
    await markPaid({ number: (await invoicesOf(id, tenantKey))[0].number });
    const end = new Date((await shop.read(id)).paidThrough);
    await shop.advance(tenantKey, new Date(end.getTime() - 6 * DAY_MS));
    const [renewal] = await invoicesOf(id, tenantKey);
    expect(renewal).toMatchObject({ status: 'OPEN', period: 1, dueAt: end.toISOString() });
    await shop.advance(tenantKey, new Date(end.getTime() + DAY_MS));
    expect(await shop.read(id)).toMatchObject({ status: 'PAST_DUE' });
    await markPaid({ number: renewal.number });
    expect(await shop.read(id)).toMatchObject({ status: 'ACTIVE', graceEndsAt: null });
    await shop.advance(tenantKey, new Date(end.getTime() + 60 * DAY_MS));
    expect(await shop.read(id)).toMatchObject({ status: 'EXPIRED' });
    expect((await invoicesOf(id, tenantKey)).map(({ status }: { status: string }) => status)).toEqual([
      'VOID',
      'PAID',
      'PAID',
    ]);
  });

  it('has a unique number without gaps, even with concurrent and failing orders', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        order(TOPUP, { quantity: index % 4 === 3 ? 99 : 1 }).catch(() => undefined),
      ),
    );
    const rows = await app.database.invoice.findMany({ orderBy: { number: 'asc' } });
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
  });
});
