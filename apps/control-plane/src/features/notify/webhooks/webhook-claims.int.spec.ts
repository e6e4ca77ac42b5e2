import { createPrismaClient, type PrismaClient } from '@tollgate/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EventReceiver, startEventReceiver } from '../../../../test/support/event-receiver.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { SealedSecrets } from '../../../platform/secrets.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import { WebhookDeliveriesModule } from '../notify.modules.js';
import { DeliverWebhooksJob } from './webhook-delivery.service.js';
import { MAX_ATTEMPTS, newWebhookSecret } from './webhook-sender.js';
import { secretBinding } from './webhooks.graphql.js';
import { WebhookDeliveriesRepository } from './webhooks.repository.js';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIMITS = { total: 100, perTenant: 8, perEndpoint: 4 };

let services: TestServices;
let database: PrismaClient;
let receiver: EventReceiver;
let nowMs: number;

beforeAll(async () => {
  services = await startTestServices([{ module: WebhookDeliveriesModule, providers: [DeliverWebhooksJob] }], {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  services.context.get(Clock, { strict: false }).now = () => new Date(nowMs);
  database = createPrismaClient(services.ownerUrl, { max: 2 });
  receiver = await startEventReceiver();
});
beforeEach(async () => {
  nowMs = Date.now() + 60 * SECOND_MS;
  receiver.received.length = 0;
  await database.webhookEndpoint.deleteMany();
});
afterAll(async () => {
  await database.$disconnect();
  await receiver.stop();
  await services.stop();
});

const claim = (limits = LIMITS) =>
  runInScope('all', () =>
    services.context.get(WebhookDeliveriesRepository, { strict: false }).claim(new Date(nowMs), limits),
  );

/** One scheduled run of a worker, until its attempts end. */
async function runJob(): Promise<void> {
  const job = services.context.get(DeliverWebhooksJob, { strict: false });
  await runInScope('all', () => job.run());
  await job.drain();
}

/** An endpoint with due deliveries; null: the operator's own. */
async function makeEndpoint(tenantKey: string | null, deliveries: number): Promise<string> {
  const id = newId('webhookEndpoint');
  const tenantId = tenantKey;
  const secret = services.context
    .get(SealedSecrets, { strict: false })
    .seal(secretBinding(id), newWebhookSecret());
  await database.webhookEndpoint.create({
    data: { id, tenantId, tenantKey, url: receiver.url, events: [], secret },
  });
  const rows = Array.from({ length: deliveries }, () => ({
    id: newId('webhookDelivery'),
    endpointId: id,
    tenantId,
    event: 'webhook.test',
    body: '{}',
    nextAttemptAt: new Date(nowMs - SECOND_MS),
  }));
  await database.webhookDelivery.createMany({ data: rows });
  return id;
}

const stateOf = (endpointId: string) =>
  database.webhookDelivery.findFirstOrThrow({
    where: { endpointId },
    include: { log: { orderBy: { number: 'asc' } }, endpoint: true },
  });

describe('a claim', () => {
  it('records the attempt before anything is sent', async () => {
    const id = await makeEndpoint('acme', 1);
    const [claimed] = await claim();
    expect(claimed).toMatchObject({ attempts: 1, isExhausted: false });
    expect(await stateOf(id)).toMatchObject({
      attempts: 1,
      log: [{ number: 1, at: new Date(nowMs), statusCode: null, error: null }],
    });
  });

  it('whose worker stops is repeated when both its lease and the delay of the schedule are over', async () => {
    const id = await makeEndpoint('acme', 1);
    await claim();
    for (const aheadMs of [0, 30 * SECOND_MS]) {
      nowMs += aheadMs;
      await runJob();
      expect(receiver.received).toHaveLength(0);
    }
    nowMs += 31 * SECOND_MS;
    await claim();
    // The second failure is followed by five minutes, however soon its lease ends.
    nowMs += 2 * 60 * SECOND_MS;
    await runJob();
    expect(receiver.received).toHaveLength(0);
    nowMs += 5 * 60 * SECOND_MS;
    await runJob();
    expect(receiver.received).toHaveLength(1);
    const { status, log } = await stateOf(id);
    expect(status).toBe('DELIVERED');
    expect(log.map(({ number, statusCode, error }) => ({ number, statusCode, error }))).toEqual([
      { number: 1, statusCode: null, error: 'interrupted: the worker stopped before a response' },
      { number: 2, statusCode: null, error: 'interrupted: the worker stopped before a response' },
      { number: 3, statusCode: 204, error: null },
    ]);
  });

  it('whose worker stops each time ends as dead after the last attempt, without a further one', async () => {
    const id = await makeEndpoint('acme', 1);
    for (let number = 1; number <= MAX_ATTEMPTS; number++) {
      expect(await claim()).toMatchObject([{ attempts: number }]);
      nowMs += 2 * DAY_MS;
    }
    await runJob();
    const { status, attempts, log, endpoint } = await stateOf(id);
    expect({ status, attempts }).toEqual({ status: 'DEAD', attempts: MAX_ATTEMPTS });
    expect(log).toHaveLength(MAX_ATTEMPTS);
    expect(endpoint).toMatchObject({
      status: 'DISABLED',
      disabledReason: expect.stringMatching(/interrupted/),
    });
    expect(receiver.received).toHaveLength(0);
  });

  it('takes at most as many per endpoint and per tenant as allowed, counting those in flight', async () => {
    for (let i = 0; i < 5; i++) await makeEndpoint('acme', 10);
    const first = await claim();
    expect(first).toHaveLength(LIMITS.perTenant);
    const perEndpoint = Map.groupBy(first, ({ endpointId }) => endpointId);
    for (const rows of perEndpoint.values()) expect(rows.length).toBeLessThanOrEqual(LIMITS.perEndpoint);
    // Spread over the endpoints of the tenant, not one after another.
    expect(perEndpoint.size).toBe(5);
    expect(await claim()).toEqual([]);
    await makeEndpoint(null, 1);
    expect(await claim()).toHaveLength(1);
  });

  it('serves the tenants with the fewest deliveries in flight first', async () => {
    for (let i = 0; i < 3; i++) await makeEndpoint('acme', 10);
    await claim({ ...LIMITS, perTenant: 4 });
    const late = await Promise.all(['b', 'c', 'd'].map((key) => makeEndpoint(key, 2)));
    const [taken] = [await claim({ ...LIMITS, total: 3 })];
    expect(taken.map(({ endpointId }) => endpointId).sort()).toEqual([...late].sort());
  });

  it('is made once, however many workers claim at the same time', async () => {
    for (let i = 0; i < 4; i++) await makeEndpoint('acme', 4);
    const claims = await Promise.all(Array.from({ length: 6 }, () => claim()));
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(LIMITS.perTenant);
  });
});
