import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExpiringApiKeysJob } from '../src/features/api-keys/index.js';
import { SYSTEM_ACTOR } from '../src/platform/access/actor.js';
import type { NoticeFacts } from '../src/platform/changes/change.js';
import { ChangeRunner } from '../src/platform/changes/change-runner.js';
import { Clock } from '../src/platform/clock/clock.js';
import { newId } from '../src/platform/ids/new-id.js';
import { answering, type EventReceiver, startEventReceiver } from './support/event-receiver.js';
import { type MailServer, startMailServer } from './support/mail-server.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const DAY_MS = 86_400_000;

const CREATE = `mutation($input: WebhookEndpointCreateInput!) {
  webhookEndpointCreate(input: $input) { endpoint { id version status events } secret userErrors { code field message } }
}`;
const ROTATE = `mutation($input: WebhookEndpointRotateInput!) {
  webhookEndpointSecretRotate(input: $input) { endpoint { version previousUntil } secret userErrors { code message } }
}`;
const LIST = `query($tenantKey: String) {
  webhookEndpoints(tenantKey: $tenantKey) { id status disabledReason version }
}`;
const DELIVERIES = `query($id: ID!) {
  webhookDeliveries(endpointId: $id) {
    totalCount nodes { id event status log { number statusCode error } }
  }
}`;
const change = (name: string) => `mutation($input: WebhookEndpointTargetInput!) {
  ${name}(input: $input) { endpoint { id version status } userErrors { code field message } }
}`;

let mail: MailServer;
let app: TestApp;
let receiver: EventReceiver;
let acme: { id: string; key: string };
let owner: Record<string, string>;
let stranger: Record<string, string>;
let aheadMs = 0;

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000 });

beforeAll(async () => {
  mail = await startMailServer();
  const more = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', MAIL_TRANSPORT: 'smtp', SMTP_URL: mail.url };
  app = await startTestApp(more);
  app.app.get(Clock, { strict: false }).now = () => new Date(Date.now() + aheadMs);
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "O", tierKey: "basic" }) { changeId } }',
  );
  acme = await app.database.tenant.findUniqueOrThrow({
    where: { key: 'acme' },
    select: { id: true, key: true },
  });
  const other = await app.database.tenant.findUniqueOrThrow({ where: { key: 'other' } });
  owner = await app.signInMember(acme.id, 'OWNER');
  stranger = await app.signInMember(other.id, 'OWNER');
});

beforeEach(async () => {
  receiver = await startEventReceiver();
  return () => receiver.stop();
});

afterAll(async () => {
  await app.stop();
  await mail.stop();
});

/** Tells people something, as a change does. */
async function tell(notice: NoticeFacts): Promise<void> {
  const caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };
  await app.app
    .get(ChangeRunner, { strict: false })
    .run(caller, { reason: null }, (change) => change.notify(notice));
}

async function makeEndpoint(events: string[] = []): Promise<{ id: string; secret: string }> {
  const input = { tenantKey: 'acme', url: receiver.url, events };
  const { data } = await app.graphql(CREATE, { input }, owner);
  expect(data.webhookEndpointCreate.userErrors).toEqual([]);
  return { id: data.webhookEndpointCreate.endpoint.id, secret: data.webhookEndpointCreate.secret };
}

async function deliveriesOf(id: string) {
  return (await app.graphql(DELIVERIES, { id }, owner)).data.webhookDeliveries.nodes;
}

const paid = (offer: string) => ({ kind: 'purchase.paid' as const, tenant: acme, data: { offer } });

describe('outgoing events', () => {
  it('come signed, once, with what happened to whom; with both secrets during a rotation', async () => {
    const { id, secret } = await makeEndpoint(['purchase.paid']);
    await tell(paid('extra'));
    await tell({ kind: 'purchase.ended', tenant: acme, data: { offer: 'not wanted' } });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [first] = receiver.received;
    const event = new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>);
    expect(event).toMatchObject({ type: 'purchase.paid', data: { tenant: 'acme', offer: 'extra' } });

    const { data } = await app.graphql(ROTATE, { input: { id, expectedVersion: 1, overlapHours: 1 } }, owner);
    const renewed = data.webhookEndpointSecretRotate.secret;
    expect(renewed).not.toBe(secret);
    await tell(paid('more'));
    await eventually(() => expect(receiver.received).toHaveLength(2));
    const [, second] = receiver.received;
    for (const known of [secret, renewed]) {
      new Webhook(known).verify(second?.body ?? '', second?.headers as Record<string, string>);
    }
    await eventually(async () => {
      expect(await deliveriesOf(id)).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
    });
  });

  it('are tried again under the same id, and told of each attempt', async () => {
    const { id } = await makeEndpoint(['purchase.renewed']);
    receiver.behave(answering(503));
    await tell({ kind: 'purchase.renewed', tenant: acme, data: { offer: 'x' } });
    await eventually(async () => expect((await deliveriesOf(id))[0]?.log).toHaveLength(1));
    receiver.behave(answering(200));
    aheadMs += 10_000;
    await eventually(async () => {
      expect(await deliveriesOf(id)).toMatchObject([
        {
          status: 'DELIVERED',
          log: [
            { number: 2, statusCode: 200, error: null },
            { number: 1, error: 'answered 503' },
          ],
        },
      ]);
    });
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('follow no redirect', async () => {
    const { id } = await makeEndpoint(['purchase.disputed']);
    const canary = await startEventReceiver();
    receiver.behave(answering(307, { location: canary.url }));
    await tell({ kind: 'purchase.disputed', tenant: acme, data: {} });
    await eventually(async () => expect((await deliveriesOf(id))[0]?.log).toHaveLength(1));
    expect((await deliveriesOf(id))[0]?.log[0]?.error).toMatch(/not followed/);
    expect(canary.received).toEqual([]);
    await canary.stop();
  });

  it('stop at a receiver that is gone, whose owner is told; and can be begun anew', async () => {
    const { id } = await makeEndpoint(['purchase.refunded']);
    receiver.behave(answering(410));
    await tell({ kind: 'purchase.refunded', tenant: acme, data: {} });
    const find = async () => {
      const { data } = await app.graphql(LIST, { tenantKey: 'acme' }, owner);
      return data.webhookEndpoints.find((endpoint: { id: string }) => endpoint.id === id);
    };
    await eventually(async () => expect(await find()).toMatchObject({ status: 'DISABLED', version: 2 }));
    expect((await find()).disabledReason).toMatch(/410/);
    const { data } = await app.graphql('{ notices(tenantKey: "acme") { nodes { kind title } } }', {}, owner);
    expect(data.notices.nodes.map(({ kind }: { kind: string }) => kind)).toContain('webhook.disabled');

    receiver.behave(answering(200));
    const enabled = await app.graphql(
      change('webhookEndpointEnable'),
      { input: { id, expectedVersion: 2 } },
      owner,
    );
    expect(enabled.data.webhookEndpointEnable.userErrors).toEqual([]);
    const [dead] = await deliveriesOf(id);
    expect(dead.status).toBe('DEAD');
    const retry =
      'mutation($input: WebhookDeliveryRetryInput!) { webhookDeliveryRetry(input: $input) { delivery { status } } }';
    expect(
      (await app.graphql(retry, { input: { id: dead.id } }, owner)).data.webhookDeliveryRetry.delivery.status,
    ).toBe('PENDING');
    await eventually(async () => expect((await deliveriesOf(id))[0]?.status).toBe('DELIVERED'));
  });

  it.each([
    'https://127.0.0.2.nip.io:1/',
    'http://10.0.0.1/',
    'ftp://example.com/',
    'http://hooks.example.com/',
  ])('are not sent to %s', async (url) => {
    const { data } = await app.graphql(CREATE, { input: { tenantKey: 'acme', url } }, owner);
    const errors = data.webhookEndpointCreate.userErrors;
    if (url.includes('nip.io')) expect(errors).toEqual([]);
    else expect(errors).toMatchObject([{ code: 'INVALID', field: ['url'] }]);
  });

  it("are another tenant's business only", async () => {
    const { id } = await makeEndpoint();
    const foreign = { input: { id, expectedVersion: 1 } };
    for (const name of [
      'webhookEndpointEnable',
      'webhookEndpointDisable',
      'webhookEndpointDelete',
      'webhookEndpointTest',
    ]) {
      const { data } = await app.graphql(change(name), foreign, stranger);
      const missing = await app.graphql(
        change(name),
        { input: { id: newId('webhookEndpoint'), expectedVersion: 1 } },
        stranger,
      );
      expect(data[name]).toEqual(missing.data[name]);
      expect(data[name].userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
    }
    expect((await app.graphql(LIST, { tenantKey: 'acme' }, stranger)).errors[0]?.extensions.code).toBe(
      'NOT_FOUND',
    );
    expect((await app.graphql(DELIVERIES, { id }, stranger)).errors[0]?.extensions.code).toBe(
      'BAD_USER_INPUT',
    );
  });

  it('can be changed, tested, disabled and removed, by whoever saw the newest state', async () => {
    const { id } = await makeEndpoint(['purchase.held']);
    const update = `mutation($input: WebhookEndpointUpdateInput!) {
      webhookEndpointUpdate(input: $input) { endpoint { version events } userErrors { code field } }
    }`;
    const run = async (document: string, input: object) =>
      Object.values((await app.graphql(document, { input }, owner)).data)[0];
    expect(await run(update, { id, expectedVersion: 1, events: ['nonsense'] })).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['events', '0'] }],
    });
    expect(await run(update, { id, expectedVersion: 1, events: [] })).toMatchObject({
      endpoint: { version: 2, events: [] },
    });
    expect(await run(update, { id, expectedVersion: 1, events: [] })).toMatchObject({
      userErrors: [{ code: 'CONFLICT' }],
    });
    await run(change('webhookEndpointTest'), { id, expectedVersion: 2 });
    await eventually(() =>
      expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toContain('webhook.test'),
    );
    const disabled = await run(change('webhookEndpointDisable'), { id, expectedVersion: 2 });
    expect(disabled).toMatchObject({ endpoint: { status: 'DISABLED' } });
    expect(await run(change('webhookEndpointDelete'), { id, expectedVersion: 3 })).toMatchObject({
      userErrors: [],
    });
    expect(await run(change('webhookEndpointDelete'), { id, expectedVersion: 3 })).toMatchObject({
      userErrors: [{ code: 'NOT_FOUND' }],
    });
  });
});

describe('notices', () => {
  it('are read by those whom they concern, and marked as read by each of them', async () => {
    await tell({ kind: 'limit.near', tenant: acme, data: { api: 'shop', limit: 'per-minute', percent: 80 } });
    const query =
      '{ noticesUnread(tenantKey: "acme") notices(tenantKey: "acme", first: 1) { nodes { id kind severity title details } } }';
    const { data } = await app.graphql(query, {}, owner);
    expect(data.notices.nodes).toMatchObject([
      { kind: 'limit.near', severity: 'WARNING', title: 'Limit per-minute of shop is at 80 %' },
    ]);
    expect(data.noticesUnread).toBeGreaterThan(0);
    const upTo = data.notices.nodes[0].id;
    const mark =
      'mutation($input: NoticesMarkReadInput!) { noticesMarkRead(input: $input) { unread userErrors { code } } }';
    const marked = await app.graphql(mark, { input: { tenantKey: 'acme', upTo } }, owner);
    expect(marked.data.noticesMarkRead).toEqual({ unread: 0, userErrors: [] });
    const foreign = await app.graphql(query, {}, stranger);
    expect(foreign.errors[0]?.extensions.code).toBe('NOT_FOUND');
    const wrong = await app.graphql(mark, { input: { tenantKey: 'acme', upTo: 'nonsense' } }, owner);
    expect(wrong.data.noticesMarkRead.userErrors).toEqual([{ code: 'NOT_FOUND' }]);
  });

  it('are made once, however often the same thing is told', async () => {
    const notice = { kind: 'node.stale' as const, data: { nodeId: 'n1' }, dedupeKey: 'node.stale:n1:1' };
    await Promise.all([tell(notice), tell(notice), tell(notice)]);
    expect(await app.database.notice.count({ where: { dedupeKey: notice.dedupeKey } })).toBe(1);
  });

  it('go by mail to the roles that they concern, again after a refusal of the server, and once', async () => {
    mail.refuseOne('by mail');
    await tell(paid('by mail'));
    const mails = () => mail.received.filter(({ text }) => text.includes('by mail'));
    await eventually(async () => {
      const row = await app.database.mail.findFirst({ where: { body: { contains: 'by mail' } } });
      expect(row?.lastError).toMatch(/451/);
    });
    aheadMs += 120_000;
    await eventually(() => expect(mails()).toHaveLength(1));
    expect(mails()[0]?.to).toHaveLength(1);
    expect(mails()[0]?.text).toMatch(/^Subject: Paid: by mail/m);
    expect(mails()[0]?.text).toMatch(/^Message-ID: <mail_/m);
  });

  it('warn of an API key that ends soon: once at each step, in the console, by mail and as an event; not once it is revoked', async () => {
    await makeEndpoint(['api_key.expiring']);
    const start = Date.now() + aheadMs;
    const create = async (name: string) => {
      const expiresAt = new Date(start + 30 * DAY_MS).toISOString();
      const document =
        'mutation($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { apiKey { id } userErrors { message } } }';
      const { data } = await app.graphql(document, { input: { tenantKey: 'acme', name, expiresAt } }, owner);
      return data.apiKeyCreate.apiKey.id;
    };
    const id = await create('checkout');
    const revoked = await create('revoked');
    await app.graphql(
      'mutation($input: ApiKeyRevokeInput!) { apiKeyRevoke(input: $input) { userErrors { message } } }',
      { input: { tenantKey: 'acme', id: revoked } },
      owner,
    );
    const job = app.app.get(ExpiringApiKeysJob, { strict: false });
    const notices = () =>
      app.database.notice.findMany({ where: { kind: 'api_key.expiring' }, orderBy: { id: 'asc' } });
    for (const days of [10, 17, 17.5, 27.5, 29.5, 30.5]) {
      aheadMs = start - Date.now() + days * DAY_MS;
      await Promise.all([job.run(), job.run()]);
    }
    expect(
      (await notices()).map(({ tenantKey, data }) => ({ tenantKey, ...(data as object) })),
    ).toMatchObject([14, 3, 1].map((days) => ({ tenantKey: 'acme', apiKeyId: id, name: 'checkout', days })));
    const { data } = await app.graphql(
      '{ notices(tenantKey: "acme", first: 3) { nodes { kind severity title } } }',
      {},
      owner,
    );
    expect(data.notices.nodes[0]).toEqual({
      kind: 'api_key.expiring',
      severity: 'WARNING',
      title: 'The API key checkout ends soon',
    });
    const mails = () => mail.received.filter(({ text }) => text.includes('The API key checkout ends soon'));
    await eventually(() => expect(mails().length).toBeGreaterThanOrEqual(3));
    // A clock that jumps makes deliveries overdue: one may come twice, under one id.
    const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    await eventually(() => expect(ids().size).toBe(3));
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      type: 'api_key.expiring',
      data: { tenant: 'acme', apiKeyId: id, name: 'checkout' },
    });
  });
});
