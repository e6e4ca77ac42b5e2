// Usage: pnpm bench purchase [--purchases 100]
import { setTimeout as delay } from 'node:timers/promises';
import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { DecisionPlane } from '@tollgate/decision-plane';
import { randomFrom } from '@tollgate/test-kit/random';
import { parsePaymentSettings } from '../../../apps/control-plane/src/config/payment-variables.js';
import { signBody } from '../../../apps/control-plane/src/features/commerce/payments/incoming-payments.js';
import { id } from '../../../apps/control-plane/test/support/ordered-purchases.ts';
import { SESSION_SECRET, startPlane } from '../../chaos/control-plane/running-plane.ts';
import { percentile, until } from '../../until.ts';
import { readOptions } from '../measure.ts';
import { printNumbers } from '../table.ts';

const NODES = 4;
const PER_SECOND = 2000;
const TICK_MS = 20;
const UNITS = 1000;
const PRICE_MINOR = 4900;
const API = 'url-shortener';
const OPERATION = 'createURL';
const LIMIT = 'create-hour';

interface Order {
  readonly purchaseId: string;
  readonly tenantId: string;
  readonly tenant: string;
}

const { purchases } = readOptions({ purchases: 100 });
printNumbers('webhook of a payment → enforced on 4 nodes, 2,000 decisions/s', await benchPurchase(purchases));
process.exit(0);

/** Time from the provider's event until every deciding node enforces the purchase. */
async function benchPurchase(purchases: number): Promise<Record<string, number>> {
  const plane = await startPlane(1, { PAYMENT_TEST_ENABLED: 'true' });
  const database = createPrismaClient(plane.ownerUrl, { max: 2 });
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_, i) => startNode(plane.redisUrl, `node-${i}`)),
  );
  const { test } = parsePaymentSettings({
    PAYMENT_INVOICE_ENABLED: false,
    PAYMENT_TEST_ENABLED: true,
    PAYMENT_STRIPE_ENABLED: false,
    SESSION_SECRET,
  });
  const secret = test.enabled ? test.webhookSecret : '';
  const acceptedMs: number[] = [];
  const enforcedMs: number[] = [];
  try {
    const orders = await createOrders(database, purchases);
    const limitsOn = (tenant: string) => Promise.all(nodes.map((node) => limitOf(node, tenant)));
    await until(
      'tenants are known',
      async () => (await limitsOn(orders.at(-1)?.tenant ?? '')).every((limit) => limit !== undefined),
      { timeoutMs: 120_000, everyMs: 50 },
    );
    const stop = startLoad(nodes, orders);
    for (const order of orders) {
      const before = await limitsOn(order.tenant);
      const startMs = performance.now();
      await pay(`${plane.urls[0]}/webhooks/test`, order, secret);
      acceptedMs.push(performance.now() - startMs);
      await until(
        'it is enforced',
        async () => {
          const limits = await limitsOn(order.tenant);
          return limits.every((limit, i) => limit === (before[i] ?? 0) + UNITS);
        },
        { timeoutMs: 60_000, everyMs: 5 },
      );
      enforcedMs.push(performance.now() - startMs);
    }
    const decisions = await stop();
    return {
      purchases,
      decisions,
      'accepted p50 ms': percentile(acceptedMs, 0.5),
      'accepted p99 ms': percentile(acceptedMs, 0.99),
      'enforced p50 ms': percentile(enforcedMs, 0.5),
      'enforced p99 ms': percentile(enforcedMs, 0.99),
    };
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await database.$disconnect();
    await plane.stop();
  }
}

function startNode(url: string, nodeId: string): Promise<DecisionPlane> {
  const urls = { countersUrl: url, configUrl: url };
  return DecisionPlane.start({ ...urls, policyKeys: 'unsigned', nodeId, version: 'bench', deadlineMs: 2000 });
}

async function limitOf(node: DecisionPlane, tenant: string): Promise<number | undefined> {
  const found = await node.limitsOf(tenant, API).catch(() => undefined);
  const policy = found?.limits.find(({ policy: { name } }) => name === LIMIT)?.policy;
  return policy !== undefined && 'limit' in policy ? policy.limit : undefined;
}

/** Unpaid orders, each of a separate tenant. */
async function createOrders(database: PrismaClient, count: number): Promise<Order[]> {
  const random = randomFrom(count);
  const { id: tierId } = await database.tier.findUniqueOrThrow({ where: { key: 'free' } });
  const effects = [{ api: API, limit: LIMIT, effect: { kind: 'add', units: UNITS } }];
  const terms = { kind: 'TOPUP', currency: 'EUR', effects } as const;
  const offer = { ...terms, id: id('ofr', random), key: 'bench', name: 'Bench', priceMinor: PRICE_MINOR };
  await database.offer.create({ data: offer });
  const orders: Order[] = [];
  for (let i = 0; i < count; i++) {
    const [tenantId, purchaseId, tenant] = [id('ten', random), id('pur', random), `bench-${i}`];
    const subscription = { create: { id: id('sub', random), tierId } };
    await database.tenant.create({ data: { id: tenantId, key: tenant, name: tenant, subscription } });
    await database.purchase.create({
      data: {
        ...terms,
        id: purchaseId,
        tenantId,
        offerId: offer.id,
        provider: 'TEST',
        quantity: 1,
        label: 'Units',
        amountMinor: PRICE_MINOR,
        validDays: 30,
        graceDays: 0,
        carryOver: 'KEEP',
        customerRef: tenantId,
        createdAt: new Date(),
      },
    });
    orders.push({ tenantId, purchaseId, tenant });
  }
  await database.outboxEvent.createMany({
    data: orders.map(({ tenant }) => ({ changeId: 'chg_bench', kind: 'TENANT', entityKey: tenant })),
  });
  return orders;
}

/** Posts the provider's events for a paid order. */
async function pay(url: string, { purchaseId, tenantId }: Order, secret: string): Promise<void> {
  const fact = {
    type: 'paid',
    payment: `${purchaseId}-a`,
    amountMinor: PRICE_MINOR,
    currency: 'EUR',
    customer: tenantId,
  };
  const at = new Date().toISOString();
  const event = { id: `tpe_${purchaseId.slice(4)}`, object: 'test_event', purchase: purchaseId, at, fact };
  const body = Buffer.from(JSON.stringify(event));
  const headers = { 'tollgate-signature': signBody(body, secret, Date.now()) };
  const response = await fetch(url, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

function startLoad(nodes: readonly DecisionPlane[], orders: readonly Order[]): () => Promise<number> {
  let isLoading = true;
  let made = 0;
  const running = (async () => {
    while (isLoading) {
      const some = Array.from({ length: (PER_SECOND * TICK_MS) / 1000 }, () => {
        const tenant = orders[made % orders.length]?.tenant ?? '';
        return nodes[made++ % nodes.length]?.limit({ tenant, api: API, operation: OPERATION });
      });
      await Promise.all([...some, delay(TICK_MS)]);
    }
  })();
  return async () => {
    isLoading = false;
    await running;
    return made;
  };
}
