import { readdirSync, readFileSync } from 'node:fs';
import { CURRENCIES } from '@tollgate/contracts/money';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../src/platform/ids.js';
import { createPolicy } from './support/policy-factory.js';
import { Shop, START, TOPUP, UPGRADE } from './support/shop.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const MIGRATIONS = new URL('../../../prisma/migrations/', import.meta.url);

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startTestApp({ PAYMENT_TEST_ENABLED: 'true' });
  await createPolicy(app);
  shop = new Shop(app);
});
afterAll(() => app.stop());

const OFFER = `offer { key status version isPriceConfirmed priceMinor stock stockLeft maxQuantity tierKeys graceDays
  effects { apiKey limitName appliesTo kind units percent } } userErrors { code field message }`;
const create = async (input: object) =>
  (
    await app.graphql(`mutation($input: OfferCreateInput!) { offerCreate(input: $input) { ${OFFER} } }`, {
      input,
    })
  ).data.offerCreate;
const update = async (input: object) =>
  (
    await app.graphql(`mutation($input: OfferUpdateInput!) { offerUpdate(input: $input) { ${OFFER} } }`, {
      input,
    })
  ).data.offerUpdate;
const move = async (name: 'offerActivate' | 'offerArchive' | 'offerPriceConfirm', input: object) =>
  (
    await app.graphql(`mutation($input: OfferChangeInput!) { ${name}(input: $input) { ${OFFER} } }`, {
      input,
    })
  ).data[name];
const start = async (input: object, headers?: Record<string, string>) => {
  const order = { tenantKey: 'acme', provider: 'TEST', ...input };
  const { data, errors } = await app.graphql(START, { input: order }, headers);
  return errors[0] === undefined ? data.result.userErrors[0] : { code: errors[0].extensions.code };
};

describe('an offer', () => {
  it('changes from draft to active to archived, and never back', async () => {
    const { offer } = await create({ ...UPGRADE, key: 'steps' });
    expect(offer).toMatchObject({ status: 'DRAFT', graceDays: 7, stock: null, stockLeft: null });
    expect(offer.effects).toEqual([
      {
        apiKey: 'shop',
        limitName: 'per-minute',
        appliesTo: null,
        kind: 'MULTIPLY',
        units: null,
        percent: 200,
      },
      { apiKey: null, limitName: null, appliesTo: 'QUOTA', kind: 'ADD', units: 1000, percent: null },
    ]);
    const at = (version: number) => ({ offerKey: 'steps', expectedVersion: version });
    expect((await move('offerActivate', at(9))).userErrors).toMatchObject([{ code: 'CONFLICT' }]);
    expect((await move('offerActivate', at(1))).offer).toMatchObject({ status: 'ACTIVE', version: 2 });
    expect((await move('offerActivate', at(2))).userErrors).toMatchObject([
      { code: 'INVALID', field: ['offerKey'] },
    ]);
    expect((await move('offerArchive', at(2))).offer).toMatchObject({ status: 'ARCHIVED' });
    expect((await update({ ...at(3), name: 'Late' })).userErrors).toMatchObject([
      { code: 'INVALID', field: ['offerKey'] },
    ]);
    expect((await move('offerArchive', at(1))).userErrors).toMatchObject([{ code: 'CONFLICT' }]);
    expect((await move('offerArchive', { offerKey: 'none', expectedVersion: 1 })).userErrors).toMatchObject([
      { code: 'NOT_FOUND' },
    ]);
  });

  it('does not exist after a dry run', async () => {
    expect((await create({ ...UPGRADE, key: 'tried', dryRun: true })).userErrors).toEqual([]);
    expect((await app.graphql('{ offer(key: "tried") { id } }')).data.offer).toBeNull();
  });

  it.each<[string, object, string[], string]>([
    ['a key that is taken', { key: 'taken' }, ['key'], 'TAKEN'],
    ['no price', { priceMinor: 0 }, ['priceMinor'], 'INVALID'],
    ['a price of KWD 1.234', { currency: 'KWD', priceMinor: 1234 }, ['priceMinor'], 'INVALID'],
    ['a price of half a króna', { currency: 'ISK', priceMinor: 50_050 }, ['priceMinor'], 'INVALID'],
    ['a currency that there is not', { currency: 'EURO' }, ['currency'], 'INVALID'],
    ['no interval', { interval: null }, ['interval'], 'INVALID'],
    ['an end, although it renews', { validDays: 3 }, ['validDays'], 'INVALID'],
    ['nothing that it does', { effects: [] }, ['effects'], 'INVALID'],
    ['an effect without its number', { effects: [{ kind: 'ADD' }] }, ['effects', '0', 'units'], 'INVALID'],
    [
      'an effect with two numbers',
      { effects: [{ kind: 'ADD', units: 1, percent: 200 }] },
      ['effects', '0', 'percent'],
      'INVALID',
    ],
    [
      'an effect that lowers',
      { effects: [{ kind: 'MULTIPLY', percent: 50 }] },
      ['effects', '0', 'effect', 'percent'],
      'INVALID',
    ],
    [
      'a limit without its API',
      { effects: [{ limitName: 'x', kind: 'ADD', units: 1 }] },
      ['effects', '0', 'api'],
      'INVALID',
    ],
    [
      'an API that there is not',
      { effects: [{ apiKey: 'none', kind: 'ADD', units: 1 }] },
      ['effects', '0', 'apiKey'],
      'NOT_FOUND',
    ],
    [
      'an unknown limit',
      { effects: [{ apiKey: 'shop', limitName: 'none', kind: 'ADD', units: 1 }] },
      ['effects', '0', 'limitName'],
      'NOT_FOUND',
    ],
    ['a tier that there is not', { tierKeys: ['none'] }, ['tierKeys', '0'], 'NOT_FOUND'],
    ['several of what is multiplied', { maxQuantity: 2 }, ['maxQuantity'], 'INVALID'],
  ])('with %s is rejected', async (_what, more, field, code) => {
    if (code === 'TAKEN') await create({ ...UPGRADE, key: 'taken' });
    expect((await create({ ...UPGRADE, key: 'bad', ...more })).userErrors).toMatchObject([{ code, field }]);
  });

  it('changes for future purchases only', async () => {
    await shop.sell({ ...TOPUP, key: 'changing', stock: 5 });
    const { id } = await shop.order({ key: 'changing', priceMinor: 900 }, { quantity: 2 });
    const changed = await update({ offerKey: 'changing', expectedVersion: 2, priceMinor: 1000, stock: 2 });
    expect(changed.offer).toMatchObject({ priceMinor: 1000, stock: 2, stockLeft: 0 });
    expect(await shop.read(id)).toMatchObject({ amountMinor: 1800 });
    const less = await update({ offerKey: 'changing', expectedVersion: 3, stock: 1 });
    expect(less.userErrors).toMatchObject([{ code: 'INVALID', field: ['stock'] }]);
    const endless = await update({ offerKey: 'changing', expectedVersion: 3, isUnlimited: true });
    expect(endless.offer).toMatchObject({ stock: null, stockLeft: null });
  });

  it('is visible to members only while it is active', async () => {
    const tenant = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const member = await app.signInMember(tenant.id, 'VIEWER');
    const list = async (headers?: Record<string, string>, args = 'first: 100') =>
      (await app.graphql(`{ offers(${args}) { totalCount nodes { key status } } }`, {}, headers)).data.offers;
    await shop.sell({ ...TOPUP, key: 'seen' });
    const seen = await list(member);
    expect(seen.nodes.map(({ key }: { key: string }) => key)).toContain('seen');
    expect(new Set(seen.nodes.map(({ status }: { status: string }) => status))).toEqual(new Set(['ACTIVE']));
    expect((await list()).totalCount).toBeGreaterThan(seen.totalCount);
    expect(await list(member, 'status: DRAFT')).toEqual({ totalCount: 0, nodes: [] });
    expect((await app.graphql('{ offer(key: "steps") { id } }', {}, member)).data.offer).toBeNull();
    const denied = await app.graphql(
      'mutation($input: OfferChangeInput!) { offerArchive(input: $input) { userErrors { code } } }',
      { input: { offerKey: 'seen', expectedVersion: 2 } },
      member,
    );
    expect(denied.errors[0]?.extensions.code).toBe('FORBIDDEN');
  });
});

describe('an order', () => {
  beforeAll(async () => {
    await shop.sell({ ...TOPUP, key: 'sold' });
    await create({ ...TOPUP, key: 'draft' });
    await shop.sell({ ...TOPUP, key: 'over' });
    await move('offerArchive', { offerKey: 'over', expectedVersion: 2 });
    await app.graphql('mutation { tierCreate(input: { key: "gold", name: "Gold" }) { tier { id } } }');
    await shop.sell({ ...TOPUP, key: 'for-gold', tierKeys: ['gold'] });
  });

  it.each<[string, object, string, string[]]>([
    ['a draft', { offerKey: 'draft' }, 'NOT_FOUND', ['offerKey']],
    ['what there is not', { offerKey: 'none' }, 'NOT_FOUND', ['offerKey']],
    ['what is not sold any more', { offerKey: 'over' }, 'NOT_FOR_SALE', ['offerKey']],
    ['what is for other tiers', { offerKey: 'for-gold' }, 'NOT_FOR_SALE', ['offerKey']],
    ['at an old price', { expectedPriceMinor: 800 }, 'PRICE_CHANGED', ['expectedPriceMinor']],
    ['too many', { quantity: 11 }, 'INVALID', ['quantity']],
    ['none', { quantity: 0 }, 'INVALID', ['quantity']],
    ['for nobody', { tenantKey: 'nobody' }, 'NOT_FOUND', ['tenantKey']],
    ['by a provider that is off', { provider: 'STRIPE' }, 'PROVIDER_UNAVAILABLE', ['provider']],
    ['with a way back to another site', { returnPath: '//evil.example' }, 'INVALID', ['returnPath']],
  ])('of %s is rejected', async (_what, more, code, field) => {
    expect(await start({ offerKey: 'sold', expectedPriceMinor: 900, ...more })).toMatchObject({
      code,
      field,
    });
  });

  it('of a suspended tenant is rejected', async () => {
    await app.graphql(
      'mutation { tenantCreate(input: { key: "late", name: "Late", tierKey: "basic" }) { tenant { id } } }',
    );
    await app.graphql(
      'mutation { tenantSuspend(input: { tenantKey: "late", expectedVersion: 1 }) { userErrors { message } } }',
    );
    const order = { tenantKey: 'late', offerKey: 'sold', expectedPriceMinor: 900 };
    expect(await start(order)).toMatchObject({ code: 'INVALID', field: ['tenantKey'] });
  });

  it('is limited to owners and buyers of the tenant', async () => {
    const order = { offerKey: 'sold', expectedPriceMinor: 900 };
    const acme = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    expect(await start(order, await app.signInMember(acme.id, 'DEVELOPER'))).toEqual({ code: 'FORBIDDEN' });
    const buyer = await app.signInMember(acme.id, 'BUYER');
    expect(await start(order, buyer)).toBeUndefined();
    const other = await start({ ...order, tenantKey: 'late' }, buyer);
    expect(other).toEqual(await start({ ...order, tenantKey: 'nobody' }, buyer));
    const { data } = await app.graphql(
      '{ purchases(tenantKey: "acme") { totalCount nodes { tenantKey offer { key } } } }',
      {},
      buyer,
    );
    expect(data.purchases.nodes[0]).toEqual({ tenantKey: 'acme', offer: { key: 'sold' } });
  });

  it('creates no purchase in a dry run', async () => {
    const count = () => app.database.purchase.count();
    const before = await count();
    expect(await start({ offerKey: 'sold', expectedPriceMinor: 900, dryRun: true })).toBeUndefined();
    expect(await count()).toBe(before);
  });

  it('of the last unit succeeds once among concurrent orders', async () => {
    await shop.sell({ ...TOPUP, key: 'last', stock: 3 });
    const order = { offerKey: 'last', expectedPriceMinor: 900 };
    const answers = await Promise.all(Array.from({ length: 12 }, () => start(order)));
    expect(answers.filter((error) => error === undefined)).toHaveLength(3);
    expect(answers.filter((error) => error?.code === 'SOLD_OUT')).toHaveLength(9);
    const { data } = await app.graphql('{ offer(key: "last") { stockLeft } }');
    expect(data.offer.stockLeft).toBe(0);
  });

  it('needs review when it is paid after its cancellation and the stock is sold out', async () => {
    await shop.sell({ ...TOPUP, key: 'single', stock: 1 });
    const single = { key: 'single', priceMinor: 900 };
    const first = await shop.order(single);
    await app.graphql(
      'mutation($input: PurchaseCancelInput!) { purchaseCancel(input: $input) { purchase { id } } }',
      { input: { purchaseId: first.id } },
    );
    const second = await shop.order(single);
    await shop.payWith(first);
    expect(await shop.read(first.id)).toMatchObject({
      status: 'NEEDS_REVIEW',
      payments: [{ reviewReason: 'SOLD_OUT' }],
    });
    await shop.payWith(second);
    expect(await shop.read(second.id)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('purchases of another tenant', () => {
  it('are not found', async () => {
    await app.graphql(
      'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { tenant { id } } }',
    );
    const other = await app.database.tenant.findUniqueOrThrow({ where: { key: 'other' } });
    const stranger = await app.signInMember(other.id, 'OWNER');
    const { id } = await shop.buy({ key: 'sold', priceMinor: 900 });
    const read = (purchaseId: string) =>
      app.graphql('query($id: ID!) { purchase(id: $id) { id } }', { id: purchaseId }, stranger);
    const none = `pur_${'0'.repeat(32)}`;
    expect((await read(id)).data).toEqual((await read(none)).data);
    const cancel = (purchaseId: string) =>
      app.graphql(
        'mutation($input: PurchaseCancelInput!) { purchaseCancel(input: $input) { userErrors { code field } } }',
        { input: { purchaseId } },
        stranger,
      );
    expect((await cancel(id)).data).toEqual((await cancel(none)).data);
    for (const field of ['purchases', 'invoices']) {
      const mine = await app.graphql(`{ ${field}(tenantKey: "other") { totalCount } }`, {}, stranger);
      expect(mine.data[field].totalCount).toBe(0);
      const theirs = await app.graphql(`{ ${field}(tenantKey: "acme") { totalCount } }`, {}, stranger);
      expect(theirs.errors[0]?.extensions.code).toBe('NOT_FOUND');
    }
  });
});

describe('an offer whose price is not certain, because the digits of its currency changed', () => {
  beforeAll(() => shop.sell({ ...TOPUP, key: 'certain' }));

  const uncertain = async (key: string, more: object = {}) => {
    const {
      id: _,
      effects,
      ...pack
    } = await app.database.offer.findFirstOrThrow({ where: { key: 'certain' } });
    const terms = { key, currency: 'HUF', priceMinor: 4900, isPriceConfirmed: false, ...more };
    await app.database.offer.create({
      data: { ...pack, ...terms, id: newId('offer'), effects: effects as never },
    });
    return { offerKey: key, expectedVersion: pack.version };
  };
  const orderOf = ({ offerKey }: { offerKey: string }, expectedPriceMinor = 4900) =>
    start({ offerKey, expectedPriceMinor });

  it('is chosen by the migration: the currencies that were shown wrongly, and prices that cannot be charged', async () => {
    const [migration] = readdirSync(MIGRATIONS).filter((name) => name.endsWith('_price_confirmation'));
    const sql = readFileSync(new URL(`${migration}/migration.sql`, MIGRATIONS), 'utf8');
    const [, ...statements] = sql
      .replaceAll(/^--.*$/gm, '')
      .split(';')
      .filter((statement) => statement.trim() !== '');
    const { id: _, effects, ...terms } = await app.database.offer.findFirstOrThrow();
    const prices = [
      ...CURRENCIES.map((currency) => [currency, 100] as const),
      ['KWD', 1234],
      ['OMR', 1230],
    ] as const;
    const data = prices.map(([currency, priceMinor], index) => ({
      ...{ ...terms, effects: effects as never, id: newId('offer'), key: `migrated-${index}` },
      ...{ currency, priceMinor, isPriceConfirmed: false },
    }));
    await app.database.offer.createMany({ data });
    for (const statement of statements) await app.database.$executeRawUnsafe(statement);
    const where = { key: { startsWith: 'migrated-' } };
    const rows = await app.database.offer.findMany({ where: { ...where, isPriceConfirmed: false } });
    await app.database.offer.deleteMany({ where });
    const chosen = 'AFN ALL COP HUF IDR ISK KWD LAK LBP MMK PKR SLL SOS UGX YER';
    expect(
      rows
        .map(({ currency }) => currency)
        .toSorted()
        .join(' '),
    ).toBe(chosen);
  });

  it('is not for sale and not visible to members until somebody confirms the price', async () => {
    const at = await uncertain('forint');
    const tenant = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const member = await app.signInMember(tenant.id, 'OWNER');
    const seen = async (headers?: Record<string, string>) =>
      (await app.graphql('{ offer(key: "forint") { isPriceConfirmed } }', {}, headers)).data.offer;
    const preview = async () =>
      (await app.graphql('{ purchasePreview(tenantKey: "acme", offerKey: "forint") { amountMinor } }')).data
        .purchasePreview;
    expect(await orderOf(at)).toMatchObject({
      code: 'NOT_FOR_SALE',
      message: expect.stringContaining('confirmed'),
    });
    expect([await seen(member), await preview()]).toEqual([null, null]);
    expect(await seen()).toEqual({ isPriceConfirmed: false });

    const renamed = await update({ ...at, name: 'Forint', priceMinor: 4900 });
    expect(renamed.offer).toMatchObject({ isPriceConfirmed: false, version: 3 });
    expect((await move('offerPriceConfirm', at)).userErrors).toMatchObject([{ code: 'CONFLICT' }]);
    const confirmed = await move('offerPriceConfirm', { ...at, expectedVersion: 3 });
    expect(confirmed).toMatchObject({ userErrors: [], offer: { isPriceConfirmed: true, version: 4 } });
    expect(await orderOf(at)).toBeUndefined();
    expect(await seen(member)).toEqual({ isPriceConfirmed: true });
    expect((await move('offerPriceConfirm', { ...at, expectedVersion: 4 })).userErrors).toMatchObject([
      { code: 'INVALID', field: ['offerKey'] },
    ]);
  });

  it('is for sale when its price is changed', async () => {
    const at = await uncertain('changed-forint');
    const changed = await update({ ...at, priceMinor: 490_000 });
    expect(changed.offer).toMatchObject({ isPriceConfirmed: true, priceMinor: 490_000 });
    expect(await orderOf(at, 490_000)).toBeUndefined();
    expect(await orderOf(at)).toMatchObject({
      code: 'PRICE_CHANGED',
      message: 'The price has changed to HUF\u00a04,900.00. Review the offer and try again.',
    });
  });

  it('is confirmed although configuration manages its terms', async () => {
    const at = await uncertain('managed-forint', { managedBy: 'CONFIG' });
    expect((await update({ ...at, priceMinor: 1 })).userErrors).toMatchObject([
      { code: 'MANAGED_BY_CONFIG' },
    ]);
    expect((await move('offerPriceConfirm', at)).userErrors).toEqual([]);
  });

  it('cannot be confirmed at a price that cannot be charged', async () => {
    const at = await uncertain('dinar', { currency: 'KWD', priceMinor: 1234 });
    const { userErrors } = await move('offerPriceConfirm', at);
    expect(userErrors[0].message).toContain('The last digit must be 0');
    expect((await update({ ...at, priceMinor: 1230 })).offer).toMatchObject({ isPriceConfirmed: true });
  });
});
