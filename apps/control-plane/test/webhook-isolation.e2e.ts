import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DeliverWebhooksJob } from '../src/features/notify/index.js';
import { newWebhookSecret } from '../src/features/notify/webhooks/webhook-sender.js';
import { newId } from '../src/platform/ids.js';
import { SealedSecrets } from '../src/platform/secrets.js';
import { runInScope } from '../src/platform/tenant-scope.js';
import { type EventReceiver, startEventReceiver } from './support/event-receiver.js';
import { CREATE_ENDPOINT } from './support/notices-app.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';

/** Keeps all exchanges open and counts connections. */
class StuckReceiver {
  readonly sockets = new Set<Socket>();
  /** Sent on each connection; undefined: nothing. */
  answer: string | undefined;
  accepted = 0;
  mostAtOnce = 0;
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket);
    this.accepted += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.sockets.size);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    socket.resume();
    if (this.answer !== undefined) socket.write(this.answer);
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

let app: TestApp;
let healthy: EventReceiver;
let stuck: StuckReceiver;
let stuckUrl: string;

beforeAll(async () => {
  healthy = await startEventReceiver();
  // Longer than the test, so that exchanges stay stuck.
  app = await startTestApp({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_TIMEOUT_MS: '30000' });
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
  );
});

beforeEach(async () => {
  // A claim of the job may conflict.
  await eventually(() =>
    app.database.webhookEndpoint.deleteMany().then(
      () => true,
      () => false,
    ),
  );
  healthy.received.length = 0;
  stuck = new StuckReceiver();
  stuckUrl = await stuck.start();
  return () => stuck.stop();
});

afterAll(async () => {
  stuck.stop();
  await app.stop();
  await healthy.stop();
});

/** Creates an endpoint through GraphQL. */
async function makeEndpoint(tenantKey: string, url: string): Promise<string> {
  const { data } = await app.graphql(CREATE_ENDPOINT, { input: { tenantKey, url } });
  return data.webhookEndpointCreate.endpoint.id;
}

/** Creates more endpoints than a tenant may, directly in the database. */
async function copyEndpoint(id: string, count: number): Promise<string[]> {
  const endpoint = await app.database.webhookEndpoint.findUniqueOrThrow({ where: { id } });
  const secrets = app.app.get(SealedSecrets, { strict: false });
  const rows = Array.from({ length: count }, () => newId('webhookEndpoint')).map((copyId) => {
    const secret = secrets.seal({ purpose: 'webhook secret', id: copyId }, newWebhookSecret());
    return { ...endpoint, id: copyId, secret };
  });
  await app.database.webhookEndpoint.createMany({ data: rows });
  return rows.map((row) => row.id);
}

/** Creates `each` due deliveries per endpoint. */
async function makeDeliveries(endpointIds: string[], each: number): Promise<void> {
  const endpoints = await app.database.webhookEndpoint.findMany({ where: { id: { in: endpointIds } } });
  const data = endpoints.flatMap(({ id: endpointId, tenantId }) =>
    Array.from({ length: each }, () => ({
      id: newId('webhookDelivery'),
      endpointId,
      tenantId,
      event: 'webhook.test',
      body: '{}',
    })),
  );
  await app.database.webhookDelivery.createMany({ data });
}

describe('webhook deliveries of one tenant', () => {
  it.each([
    ['20 endpoints that switch protocols', 20, UPGRADE],
    ['1,000 endpoints that never answer', 1000, undefined],
  ])('reach their receiver while another tenant has %s', async (_, count, answer) => {
    stuck.answer = answer;
    const first = await makeEndpoint('acme', stuckUrl);
    const ids = [first, ...(await copyEndpoint(first, count - 1))];
    await makeDeliveries(ids, 4);
    await eventually(() => stuck.accepted >= 8);
    const mine = await makeEndpoint('other', healthy.url);
    await makeDeliveries([mine], 12);
    const delivered = () =>
      app.database.webhookDelivery.count({ where: { endpointId: mine, status: 'DELIVERED' } });
    await expect.poll(delivered).toBe(12);
    if (answer === undefined) expect(stuck.mostAtOnce).toBeLessThanOrEqual(32);
  });

  it('have at most four in flight per endpoint', async () => {
    const id = await makeEndpoint('acme', stuckUrl);
    await makeDeliveries([id], 40);
    await expect.poll(() => stuck.sockets.size).toBe(4);
    await runInScope('all', () => app.app.get(DeliverWebhooksJob, { strict: false }).run());
    expect(stuck.mostAtOnce).toBe(4);
  });
});
