import { USAGE_STREAM } from '@tollgate/decision-plane/operate';
import { randomFrom } from '@tollgate/test-kit/random';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { AdjustedTenants } from '../../../../test/support/adjusted-tenant.js';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices } from '../../../../test/support/test-services.js';
import { usageFrame } from '../../../../test/support/usage-frames.js';
import type { Caller } from '../../../platform/access/actor.js';
import { Clock } from '../../../platform/clock.js';
import { RedisConnections } from '../../../platform/redis.js';
import { CatalogueModule } from '../../catalogue/index.js';
import { CustomersModule, TenantViews } from '../../customers/index.js';
import { RelayModule } from '../../distribution/index.js';
import { UsageIngest, UsageIngestModule } from '../../usage/index.js';
import { TestDeliveries } from '../checkout/webhooks.js';
import { CommerceModule, CommerceWorkerModule } from '../commerce.modules.js';
import { OffersService } from '../offers/offers.service.js';
import { ProviderFailure } from '../payments/payment-provider.js';
import { TestSavedCardsRepository } from '../payments/payments.repository.js';
import { TestBank, TestProvider } from '../payments/test-provider.js';
import { PurchaseChangesService } from '../purchases/purchase-changes.service.js';
import { SpendCaps } from '../purchases/spend-caps.js';
import { AutoTopUpJob, AutoTopUpOrders } from './auto-top-up.job.js';
import { ORDER_GAP_MS } from './auto-top-up.rules.js';
import { AutoTopUpsService } from './auto-top-ups.service.js';

const SEED = inject('testSeed');
const MINUTE_MS = 60_000;
const PRICE = 900;
const PAYS = '4242 4242 4242 4242';
const FAILS = '4000 0000 0000 0341';
const DISPUTES = '4000 0000 0000 0259';

let tenants: AdjustedTenants;
let nowMs = 0;
let sequence = 0;
let offers = 0;
let offerKey = '';

const get = <T>(type: abstract new (...args: never[]) => T): T =>
  tenants.services.context.get(type as new () => T, { strict: false });

beforeAll(async () => {
  const modules = [
    ...[RelayModule, CatalogueModule, CustomersModule, UsageIngestModule],
    ...[CommerceModule, CommerceWorkerModule],
  ];
  tenants = new AdjustedTenants(await startTestServices(modules, { PAYMENT_TEST_ENABLED: 'true' }));
  await tenants.setUp();
});
afterAll(() => tenants?.services.stop());

beforeEach(async () => {
  const today = new Date();
  // Mid-month: no test crosses the end of a month.
  nowMs = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 15, 12);
  vi.spyOn(get(Clock), 'now').mockImplementation(() => new Date(nowMs));
  offers += 1;
  offerKey = `pack-${offers}`;
  const effects = [{ apiKey: 'shop', limitName: 'monthly', kind: 'ADD' as const, units: 500 }];
  const offer = { key: offerKey, name: 'Pack of 500', kind: 'TOPUP' as const, currency: 'EUR' };
  const more = { priceMinor: PRICE, validDays: 30, maxQuantity: 1, effects };
  expect(await get(OffersService).create(CALLER, { ...offer, ...more })).toMatchObject({ ok: true });
  await changeOffer('activate', {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function changeOffer(method: 'activate' | 'update' | 'archive', more: object): Promise<void> {
  const { version } = await tenants.database.client.offer.findUniqueOrThrow({ where: { key: offerKey } });
  const outcome = await get(OffersService)[method](CALLER, { offerKey, expectedVersion: version, ...more });
  expect(outcome).toMatchObject({ ok: true });
}

function memberOf(tenantKey: string): Caller {
  const membership = { tenantId: '', tenantKey, tenantName: tenantKey, role: 'OWNER' as const };
  return { ...CALLER, actor: { ...CALLER.actor, kind: 'USER', memberships: [membership] } };
}

async function saveCard(tenantId: string, number: string): Promise<string> {
  const { id } = await get(TestSavedCardsRepository).open(tenantId, 'http://tollgate.localhost/portal');
  expect(await get(TestBank).saveCard(id, number)).toBeNull();
  return id;
}

/** A tenant that tops up below 200 units. Returns the id of the auto top-up. */
async function turnOn(tenantKey: string, more: { number?: string; input?: object } = {}): Promise<string> {
  const { id } = await tenants.create(tenantKey);
  const card = await saveCard(id, more.number ?? PAYS);
  return set(tenantKey, card, more.input);
}

async function set(tenantKey: string, card: string, input: object = {}): Promise<string> {
  const { priceMinor } = await tenants.database.client.offer.findUniqueOrThrow({ where: { key: offerKey } });
  const outcome = await get(AutoTopUpsService).set(memberOf(tenantKey), {
    ...{ tenantKey, apiKey: 'shop', limitName: 'monthly', offerKey, thresholdUnits: 200, capMinor: 10_000 },
    ...{ expectedPriceMinor: Number(priceMinor), provider: 'TEST', card },
    ...input,
  });
  if (!outcome.ok) throw new Error(outcome.errors[0]?.message);
  return outcome.value.id;
}

/** Reports and counts units used in the month. */
async function use(tenant: string, used: number): Promise<void> {
  const capacity = await limitOf(tenant);
  const reading = { tenant, api: 'shop', limit: 'monthly', used, capacity, denied: 0 };
  const at = new Date(nowMs);
  const periodEndMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
  sequence += 1;
  const frame = usageFrame(sequence, [], { atMs: nowMs, peaks: [{ ...reading, atMs: nowMs, periodEndMs }] });
  await USAGE_STREAM.write(get(RedisConnections).config, frame);
  await get(UsageIngest).run();
}

async function limitOf(tenantKey: string): Promise<number> {
  const { id } = await tenants.get(tenantKey);
  const { view } = await tenants.database.transaction((tx) => get(TenantViews).get(id, tx));
  return view.limits.find(({ policy }) => policy.name === 'monthly')?.policy.limit ?? 0;
}

/** Runs the job in several workers, each of which also tries rows that another has claimed. */
async function work(id: string, workers = 1): Promise<void> {
  const job = get(AutoTopUpJob);
  const orders = get(AutoTopUpOrders);
  await job.run();
  await Promise.all(Array.from({ length: workers - 1 }, () => orders.advance(id)));
}

const deliver = () => get(TestDeliveries).run();

/** Uses units, completes the order that follows, and waits until the next one is possible. */
async function useAndPay(tenantKey: string, id: string, used: number): Promise<void> {
  await use(tenantKey, used);
  await work(id, 2);
  await deliver();
  nowMs += ORDER_GAP_MS;
}

const ordersOf = (autoTopUpId: string) =>
  tenants.database.client.purchase.findMany({ where: { autoTopUpId }, orderBy: { id: 'asc' } });

async function stateOf(tenantKey: string) {
  const [autoTopUp] = await get(AutoTopUpsService).list(tenantKey);
  if (autoTopUp === undefined) throw new Error(`${tenantKey} has no auto top-up`);
  return autoTopUp;
}

async function noticesOf(tenantKey: string): Promise<string[]> {
  const rows = await tenants.database.client.notice.findMany({
    where: { tenantKey },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ kind }) => kind);
}

describe('an auto top-up', () => {
  it('orders once when usage crosses its threshold, however many workers see it, and grants the units', async () => {
    const id = await turnOn('crossing');
    await work(id);
    await use('crossing', 800);
    await work(id, 4);
    expect(await ordersOf(id)).toEqual([]);
    await use('crossing', 801);
    await work(id, 8);
    await Promise.all([deliver(), deliver(), use('crossing', 850), work(id, 4)]);
    await deliver();
    expect(await ordersOf(id)).toMatchObject([{ status: 'ACTIVE', amountMinor: 900n }]);
    expect(await limitOf('crossing')).toBe(1500);
    expect(await noticesOf('crossing')).toEqual(['purchase.paid']);
    nowMs += ORDER_GAP_MS;
    await work(id, 4);
    expect(await ordersOf(id)).toHaveLength(1);
    await use('crossing', 1301);
    await work(id, 8);
    await deliver();
    expect(await ordersOf(id)).toHaveLength(2);
    expect(await stateOf('crossing')).toMatchObject({
      status: 'ON',
      spentMinor: 2 * PRICE,
      hasOpenOrder: false,
    });
  });

  it('orders at most once a minute while too little is left', async () => {
    const id = await turnOn('gap', { input: { thresholdUnits: null, thresholdPercent: 80 } });
    await use('gap', 1000);
    await work(id, 2);
    await deliver();
    nowMs += ORDER_GAP_MS - 1;
    await work(id, 2);
    expect(await ordersOf(id)).toHaveLength(1);
    nowMs += 1;
    await work(id, 2);
    expect(await ordersOf(id)).toHaveLength(2);
  });

  it('cancels the order, turns off and notifies once when the card is declined', async () => {
    const id = await turnOn('declined', { number: FAILS });
    await use('declined', 900);
    await work(id, 4);
    expect(await ordersOf(id)).toMatchObject([{ status: 'CANCELED' }]);
    expect(await stateOf('declined')).toMatchObject({
      ...{ status: 'OFF', stopReason: 'PAYMENT_FAILED', stopDetail: 'Your card has insufficient funds.' },
      spentMinor: 0,
    });
    expect(await noticesOf('declined')).toEqual(['auto_topup.failed']);
    nowMs += 30 * MINUTE_MS;
    await use('declined', 950);
    await work(id, 2);
    expect(await ordersOf(id)).toHaveLength(1);
    const { tenantId } = await tenants.database.client.autoTopUp.findUniqueOrThrow({ where: { id } });
    await set('declined', await saveCard(tenantId, PAYS));
    await work(id);
    expect(await ordersOf(id)).toMatchObject([{ status: 'CANCELED' }, { status: 'PENDING' }]);
  });

  it('charges one order once when the provider times out after charging and workers die', async () => {
    const id = await turnOn('timeout');
    await use('timeout', 900);
    const provider = get(TestProvider);
    const charge = provider.charge.bind(provider);
    const lost = vi.spyOn(provider, 'charge').mockImplementation(async (order) => {
      await charge(order);
      throw new ProviderFailure('Timed out', undefined);
    });
    await work(id, 3);
    lost.mockImplementation(async () => {
      throw new Error('The worker died');
    });
    nowMs += 2 * MINUTE_MS;
    await get(AutoTopUpJob).run();
    expect(await ordersOf(id)).toMatchObject([{ status: 'PENDING' }]);
    expect(await stateOf('timeout')).toMatchObject({ hasOpenOrder: true, spentMinor: PRICE });
    lost.mockRestore();
    nowMs += 2 * MINUTE_MS;
    await work(id, 3);
    await deliver();
    const [order, ...others] = await ordersOf(id);
    expect([order?.status, others]).toEqual(['ACTIVE', []]);
    const where = { order: { purchaseId: order?.id ?? '' } };
    expect(await tenants.database.client.testCharge.count({ where })).toBe(1);
    expect(await limitOf('timeout')).toBe(1500);
  });

  it('cancels an order whose payment stays unknown for 20 hours', async () => {
    const id = await turnOn('unknown');
    await use('unknown', 900);
    vi.spyOn(get(TestProvider), 'charge').mockRejectedValue(new ProviderFailure('Down', undefined));
    await work(id);
    nowMs += 19 * 60 * MINUTE_MS;
    await work(id);
    expect(await stateOf('unknown')).toMatchObject({ status: 'ON', hasOpenOrder: true });
    nowMs += 2 * 60 * MINUTE_MS;
    await work(id);
    expect(await stateOf('unknown')).toMatchObject({ status: 'OFF', stopReason: 'PAYMENT_FAILED' });
    expect(await ordersOf(id)).toMatchObject([{ status: 'CANCELED' }]);
  });

  it('stops at its cap with one notice, and continues after a refund or a higher cap', async () => {
    const id = await turnOn('capped', { input: { capMinor: 1000 } });
    const runFor = (used: number) => useAndPay('capped', id, used);
    await runFor(900);
    await runFor(1400);
    await runFor(1450);
    expect(await ordersOf(id)).toHaveLength(1);
    expect(await stateOf('capped')).toMatchObject({ status: 'ON', isCapReached: true, spentMinor: PRICE });
    expect(await noticesOf('capped')).toEqual(['purchase.paid', 'auto_topup.cap_reached']);
    const { tenantId, cardRef } = await tenants.database.client.autoTopUp.findUniqueOrThrow({
      where: { id },
    });
    await set('capped', cardRef, { capMinor: 2000 });
    await runFor(1450);
    expect(await ordersOf(id)).toHaveLength(2);
    await runFor(1950);
    expect(await stateOf('capped')).toMatchObject({ isCapReached: true, spentMinor: 2 * PRICE });
    const [, second] = await ordersOf(id);
    const refunded = await get(PurchaseChangesService).refund(CALLER, { purchaseId: second?.id ?? '' });
    expect(refunded).toMatchObject({ ok: true });
    await deliver();
    expect(await stateOf('capped')).toMatchObject({ isCapReached: false, spentMinor: PRICE });
    await runFor(1960);
    expect(await ordersOf(id)).toHaveLength(3);
    expect(await tenants.database.client.purchase.count({ where: { tenantId } })).toBe(3);
  });

  it('respects the spend cap of the tenant', async () => {
    const id = await turnOn('spender');
    const cap = { tenantKey: 'spender', amountMinor: 1000, currency: 'EUR' };
    expect(await get(SpendCaps).set(CALLER, cap)).toMatchObject({ ok: true });
    for (const used of [900, 1400, 1450]) await useAndPay('spender', id, used);
    expect(await ordersOf(id)).toHaveLength(1);
    expect(await noticesOf('spender')).toEqual(['purchase.paid', 'auto_topup.cap_reached']);
  });

  it('pauses when the offer gets worse, until a member accepts its terms', async () => {
    const id = await turnOn('worse');
    await changeOffer('update', { priceMinor: 800 });
    nowMs += 15 * MINUTE_MS;
    await work(id);
    expect(await stateOf('worse')).toMatchObject({ status: 'ON' });
    await changeOffer('update', { priceMinor: 1000 });
    await use('worse', 900);
    await work(id, 3);
    expect(await ordersOf(id)).toEqual([]);
    expect(await stateOf('worse')).toMatchObject({
      ...{ status: 'PAUSED', stopReason: 'TERMS_CHANGED' },
      stopDetail: 'Pack of 500 costs €10.00 instead of €9.00.',
    });
    expect(await noticesOf('worse')).toEqual(['auto_topup.paused']);
    const { cardRef } = await tenants.database.client.autoTopUp.findUniqueOrThrow({ where: { id } });
    await set('worse', cardRef);
    await work(id, 3);
    expect(await ordersOf(id)).toMatchObject([{ amountMinor: 1000n }]);
    await deliver();
    const effects = [{ apiKey: 'shop', limitName: 'monthly', kind: 'ADD', units: 100 }];
    await changeOffer('update', { effects });
    nowMs += 15 * MINUTE_MS;
    await work(id);
    expect(await stateOf('worse')).toMatchObject({
      stopDetail: 'Pack of 500 adds 100 units instead of 500.',
    });
  });

  it('pauses when a payment is disputed, until a member confirms it', async () => {
    const id = await turnOn('disputed', { number: DISPUTES });
    const runFor = (used: number) => useAndPay('disputed', id, used);
    await use('disputed', 900);
    await work(id, 3);
    await deliver();
    expect(await ordersOf(id)).toMatchObject([{ status: 'DISPUTED' }]);
    // Without further usage or time.
    await work(id);
    expect(await stateOf('disputed')).toMatchObject({ status: 'PAUSED' });
    nowMs += ORDER_GAP_MS;
    await runFor(950);
    await runFor(990);
    expect(await ordersOf(id)).toHaveLength(1);
    expect(await stateOf('disputed')).toMatchObject({
      ...{ status: 'PAUSED', stopReason: 'DISPUTED' },
      stopDetail: 'The bank of the card disputes a payment for Pack of 500.',
    });
    const notices = ['purchase.paid', 'purchase.disputed', 'auto_topup.paused'];
    expect(await noticesOf('disputed')).toEqual(notices);
    const { cardRef } = await tenants.database.client.autoTopUp.findUniqueOrThrow({ where: { id } });
    await set('disputed', cardRef);
    await runFor(990);
    expect(await ordersOf(id)).toMatchObject([{ status: 'DISPUTED' }, { status: 'DISPUTED' }]);
    await runFor(995);
    expect(await ordersOf(id)).toHaveLength(2);
    expect(await stateOf('disputed')).toMatchObject({ status: 'PAUSED', stopReason: 'DISPUTED' });
    expect(await noticesOf('disputed')).toEqual([...notices, ...notices]);
  });

  it('pauses when the offer can no longer be bought', async () => {
    const id = await turnOn('archived');
    await changeOffer('archive', {});
    nowMs += 15 * MINUTE_MS;
    await work(id);
    expect(await stateOf('archived')).toMatchObject({ status: 'PAUSED', stopReason: 'NOT_FOR_SALE' });
  });

  it('completes an open order after it was turned off, and orders nothing more', async () => {
    const id = await turnOn('leaving');
    await use('leaving', 900);
    const failing = vi.spyOn(get(TestProvider), 'charge');
    failing.mockRejectedValue(new ProviderFailure('Down', undefined));
    await work(id);
    const off = { tenantKey: 'leaving', id };
    expect(await get(AutoTopUpsService).turnOff(memberOf('leaving'), off)).toMatchObject({
      value: { status: 'OFF', stopReason: 'CUSTOMER', hasOpenOrder: true },
    });
    const [order] = await ordersOf(id);
    const cancel = { purchaseId: order?.id ?? '' };
    expect(await get(PurchaseChangesService).cancel(CALLER, cancel)).toMatchObject({ ok: false });
    failing.mockRestore();
    await work(id, 2);
    await deliver();
    nowMs += 30 * MINUTE_MS;
    await use('leaving', 1490);
    await work(id, 2);
    expect(await ordersOf(id)).toMatchObject([{ status: 'ACTIVE' }]);
  });
});

describe('the cap', () => {
  it('is never exceeded by random usage, failures, refunds and changes', async () => {
    const pick = randomFrom(SEED).below;
    const cap = 2 * PRICE + pick(3 * PRICE);
    const id = await turnOn('random', { input: { capMinor: cap } });
    const { cardRef } = await tenants.database.client.autoTopUp.findUniqueOrThrow({ where: { id } });
    const provider = get(TestProvider);
    const charge = provider.charge.bind(provider);
    vi.spyOn(provider, 'charge').mockImplementation(async (order) => {
      const failure = pick(4);
      if (failure === 0) throw new ProviderFailure('Down', undefined);
      const result = await charge(order);
      if (failure === 1) throw new ProviderFailure('Timed out', undefined);
      return result;
    });
    let used = 700;
    let most = 0;
    const steps: (() => Promise<unknown>)[] = [
      () => {
        used += pick(400);
        return use('random', used);
      },
      () => work(id, 1 + pick(4)),
      () => work(id, 1 + pick(4)),
      deliver,
      async () => {
        nowMs += pick(3 * MINUTE_MS);
      },
      async () => {
        const orders = (await ordersOf(id)).filter(({ status }) => status === 'ACTIVE');
        const order = orders[pick(Math.max(1, orders.length))];
        if (order === undefined || pick(3) > 0) return;
        await get(PurchaseChangesService).refund(CALLER, { purchaseId: order.id });
      },
      () => changeOffer('update', { priceMinor: PRICE - pick(300) }),
      () => set('random', cardRef, { capMinor: cap }),
    ];
    for (let i = 0; i < 60; i++) {
      const some = Array.from({ length: 1 + pick(2) }, () => steps[pick(steps.length)] ?? deliver);
      await Promise.allSettled(some.map((step) => step()));
      const { spentMinor } = await stateOf('random');
      expect(spentMinor).toBeLessThanOrEqual(cap);
      most = Math.max(most, spentMinor);
    }
    // Otherwise nothing was tested.
    expect(most).toBeGreaterThan(0);
    await deliver();
    const orders = await ordersOf(id);
    const charges = await tenants.database.client.testCharge.groupBy({ by: ['orderId'], _count: true });
    expect(charges.every(({ _count }) => _count === 1)).toBe(true);
    expect(orders.filter(({ status }) => status === 'PENDING').length).toBeLessThanOrEqual(1);
  });
});
