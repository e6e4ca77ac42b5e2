import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExpiringApiKeysJob } from '../src/features/identity/index.js';
import { describeOutgoingEvents } from './notices/outgoing-events-suite.js';
import { NoticesApp } from './support/notices-app.js';

const DAY_MS = 86_400_000;

const notices = new NoticesApp();

beforeAll(() => notices.start());
beforeEach(() => notices.beginTest());
afterAll(() => notices.stop());

describeOutgoingEvents(notices);

describe('notices', () => {
  it('are visible to the people concerned, and marked as read per person', async () => {
    await notices.create({
      kind: 'limit.near',
      tenant: notices.acme,
      data: { api: 'shop', limit: 'per-minute', percent: 80 },
    });
    const query =
      '{ noticesUnread(tenantKey: "acme") notices(tenantKey: "acme", first: 1) { nodes { id kind severity title details } } }';
    const { data } = await notices.app.graphql(query, {}, notices.owner);
    expect(data.notices.nodes).toMatchObject([
      { kind: 'limit.near', severity: 'WARNING', title: 'Limit per-minute on shop: 80% used' },
    ]);
    expect(data.noticesUnread).toBeGreaterThan(0);
    const upTo = data.notices.nodes[0].id;
    const mark =
      'mutation($input: NoticesMarkReadInput!) { noticesMarkRead(input: $input) { unread userErrors { code } } }';
    const marked = await notices.app.graphql(mark, { input: { tenantKey: 'acme', upTo } }, notices.owner);
    expect(marked.data.noticesMarkRead).toEqual({ unread: 0, userErrors: [] });
    const foreign = await notices.app.graphql(query, {}, notices.stranger);
    expect(foreign.errors[0]?.extensions.code).toBe('NOT_FOUND');
    const wrong = await notices.app.graphql(
      mark,
      { input: { tenantKey: 'acme', upTo: 'nonsense' } },
      notices.owner,
    );
    expect(wrong.data.noticesMarkRead.userErrors).toEqual([{ code: 'NOT_FOUND' }]);
  });

  it('are created once per event', async () => {
    const notice = { kind: 'node.stale' as const, data: { nodeId: 'n1' }, dedupeKey: 'node.stale:n1:1' };
    await Promise.all([notices.create(notice), notices.create(notice), notices.create(notice)]);
    expect(await notices.app.database.notice.count({ where: { dedupeKey: notice.dedupeKey } })).toBe(1);
  });

  it('are emailed to the roles concerned, retried after an error of the server, and sent once', async () => {
    notices.mail.refuseOne('by mail');
    await notices.create(notices.paid('by mail'));
    const mails = () => notices.mail.received.filter(({ text }) => text.includes('by mail'));
    const row = () => notices.app.database.mail.findFirst({ where: { body: { contains: 'by mail' } } });
    await expect.poll(row).toMatchObject({ lastError: expect.stringMatching(/451/) });
    notices.aheadMs += 120_000;
    await expect.poll(mails).toHaveLength(1);
    expect(mails()[0]?.to).toHaveLength(1);
    expect(mails()[0]?.text).toMatch(/^Subject: Payment received: by mail/m);
    expect(mails()[0]?.text).toMatch(/^Message-ID: <mail_/m);
  });

  it('warn of an expiring API key once per step, in the console, by mail and as an event; not after its revocation', async () => {
    await notices.makeEndpoint(['api_key.expiring']);
    const start = Date.now() + notices.aheadMs;
    const create = async (name: string) => {
      const expiresAt = new Date(start + 30 * DAY_MS).toISOString();
      const document =
        'mutation($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { apiKey { id } userErrors { message } } }';
      const { data } = await notices.app.graphql(
        document,
        { input: { tenantKey: 'acme', name, expiresAt } },
        notices.owner,
      );
      return data.apiKeyCreate.apiKey.id;
    };
    const id = await create('checkout');
    const revoked = await create('revoked');
    await notices.app.graphql(
      'mutation($input: ApiKeyRevokeInput!) { apiKeyRevoke(input: $input) { userErrors { message } } }',
      { input: { tenantKey: 'acme', id: revoked } },
      notices.owner,
    );
    const job = notices.app.app.get(ExpiringApiKeysJob, { strict: false });
    const warnings = () =>
      notices.app.database.notice.findMany({ where: { kind: 'api_key.expiring' }, orderBy: { id: 'asc' } });
    for (const days of [10, 17, 17.5, 27.5, 29.5, 30.5]) {
      notices.aheadMs = start - Date.now() + days * DAY_MS;
      await Promise.all([job.run(), job.run()]);
    }
    expect(
      (await warnings()).map(({ tenantKey, data }) => ({ tenantKey, ...(data as object) })),
    ).toMatchObject([14, 3, 1].map((days) => ({ tenantKey: 'acme', apiKeyId: id, name: 'checkout', days })));
    const { data } = await notices.app.graphql(
      '{ notices(tenantKey: "acme", first: 3) { nodes { kind severity title } } }',
      {},
      notices.owner,
    );
    expect(data.notices.nodes[0]).toEqual({
      kind: 'api_key.expiring',
      severity: 'WARNING',
      title: 'API key checkout expires soon',
    });
    const mails = () =>
      notices.mail.received.filter(({ text }) => text.includes('API key checkout expires soon'));
    await eventually(() => mails().length >= 3);
    // A clock that jumps makes deliveries overdue, so one may arrive twice under one id.
    const ids = () => new Set(notices.receiver.received.map(({ headers }) => headers['webhook-id']));
    await expect.poll(() => ids().size).toBe(3);
    expect(JSON.parse(notices.receiver.received[0]?.body ?? '')).toMatchObject({
      type: 'api_key.expiring',
      data: { tenant: 'acme', apiKeyId: id, name: 'checkout' },
    });
  });
});
