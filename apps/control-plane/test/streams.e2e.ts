import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { UsageFrame } from '@tollgate/contracts';
import { eventually } from '@tollgate/test-kit';
import { createClient } from 'graphql-sse';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../src/app.js';
import { ChangeRunner } from '../src/platform/changes/change.js';
import { createPolicy, versionOf } from './support/policy-factory.js';
import { CALLER, ORIGIN, startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
/** Another process on the same database and Redis. */
let other: NestFastifyApplication;
let otherUrl: string;
let owner: Record<string, string>;
let redis: Redis;
beforeAll(async () => {
  app = await startTestApp();
  redis = new Redis(app.redisUrl);
  await createPolicy(app);
  other = await createApp(app.config);
  await other.listen(0, '127.0.0.1');
  otherUrl = (await other.getUrl()).replace('[::1]', '127.0.0.1');
  owner = await app.bearer(['admin']);
});
afterAll(async () => {
  redis.disconnect();
  await other.close();
  await app.stop();
});

interface Watch {
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary events.
  events: { data?: any; errors?: readonly any[] }[];
  /** Resolves when the server ends the stream; rejects if it denies the stream. */
  ended: Promise<void>;
  stop(): void;
}

function watch(query: string, headers = owner, url = app.url): Watch {
  const client = createClient({ url: `${url}/graphql/stream`, headers, retryAttempts: 0 });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const events: Watch['events'] = [];
  const stop = client.subscribe(
    { query },
    { next: (event) => events.push(event), error: reject, complete: resolve },
  );
  ended.catch(() => undefined);
  return { events, ended, stop };
}

const addNotice = (tenantKey: string, tenantId: string) =>
  app.app.get(ChangeRunner, { strict: false }).run(CALLER, { reason: null }, async (change) => {
    await change.notify({
      kind: 'limit.reached',
      tenant: { id: tenantId, key: tenantKey },
      data: { what: tenantKey },
    });
    return 'notified';
  });
const tenantId = async (key: string) => (await app.database.tenant.findUniqueOrThrow({ where: { key } })).id;
const NOTICES = 'subscription { noticeAdded { kind title tenantKey } }';

describe('noticeAdded', () => {
  it('sends each notice to all subscribers, in every process', async () => {
    const here = watch(NOTICES);
    const there = watch(NOTICES, owner, otherUrl);
    const acme = await tenantId('acme');
    await eventually(async () => {
      await addNotice('acme', acme);
      return here.events.length > 0 && there.events.length > 0;
    });
    expect(here.events[0]).toMatchObject({
      data: { noticeAdded: { kind: 'limit.reached', tenantKey: 'acme' } },
    });
    expect(there.events[0]?.errors).toBeUndefined();
    here.stop();
    there.stop();
  });

  it('sends notices of a tenant to its members only', async () => {
    await app.graphql(
      'mutation { tenantCreate(input: { key: "rival", name: "Rival", tierKey: "basic" }) { userErrors { code } } }',
    );
    const member = await memberOf('acme');
    const own = watch('subscription { noticeAdded(tenantKey: "acme") { tenantKey } }', member);
    const ids = { acme: await tenantId('acme'), rival: await tenantId('rival') };
    await eventually(async () => {
      await addNotice('rival', ids.rival);
      await addNotice('acme', ids.acme);
      return own.events.length > 1;
    });
    expect(new Set(own.events.map(({ data }) => data.noticeAdded.tenantKey))).toEqual(new Set(['acme']));
    own.stop();
    const foreign = 'subscription { noticeAdded(tenantKey: "rival") { id } }';
    for (const [query, code] of Object.entries({ [foreign]: 'NOT_FOUND', [NOTICES]: 'FORBIDDEN' })) {
      const refused = watch(query, member);
      await refused.ended;
      expect(refused.events[0]?.errors?.[0]?.extensions.code).toBe(code);
    }
  });
});

describe('propagationChanged', () => {
  it('reports the propagation of a change', async () => {
    const version = await versionOf(app, 'tenant', 'acme');
    const { data } = await app.graphql(
      `mutation { tenantUpdate(input: { tenantKey: "acme", name: "Acme & sons", expectedVersion: ${version} }) { changeId } }`,
    );
    const stream = watch(
      `subscription { propagationChanged(changeId: "${data.tenantUpdate.changeId}") { state revision } }`,
    );
    await eventually(async () =>
      stream.events.some(({ data }) => data.propagationChanged.state === 'PUBLISHED'),
    );
    stream.stop();
  });

  it('ends with an error for an unknown change', async () => {
    const stream = watch('subscription { propagationChanged(changeId: "chg_none") { state } }');
    await stream.ended;
    expect(stream.events[0]?.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });
});

describe('usageTick', () => {
  it("sends a tenant's decisions each second", async () => {
    const stream = watch(
      'subscription { usageTick(tenantKey: "acme") { allowed denied apis { apiKey allowed } } }',
    );
    const total = () => stream.events.reduce((sum, { data }) => sum + data.usageTick.allowed, 0);
    await eventually(() => stream.events.length > 0);
    await use('rival', 1000, 1);
    await use('acme', 5, 2);
    await eventually(() => total() > 0);
    expect(total()).toBe(5);
    stream.stop();
  });
});

describe('a stream', () => {
  it('ends after its token is revoked', async () => {
    const token = await app.bearer(['admin']);
    const stream = watch('subscription { usageTick(tenantKey: "acme") { at } }', token);
    await eventually(() => stream.events.length > 0);
    await app.database.serviceToken.update({
      where: { id: await tokenId(token) },
      data: { revokedAt: new Date() },
    });
    const startedMs = performance.now();
    await stream.ended;
    console.info(`ended ${Math.round(performance.now() - startedMs)} ms after the revocation`);
  });

  it('ends when its client loses permissions', async () => {
    const operator = await app.signIn('SUPPORT');
    const stream = watch('subscription { usageTick(tenantKey: "acme") { at } }', operator);
    await eventually(() => stream.events.length > 0);
    await app.database.user.updateMany({ where: { role: 'SUPPORT' }, data: { role: 'VIEWER' } });
    await stream.ended;
  });

  it.each([
    ['nobody', {}, 'UNAUTHENTICATED', 'subscription { usageTick(tenantKey: "acme") { at } }'],
    ['for a query', undefined, 'BAD_USER_INPUT', '{ viewer { id } }'],
    ['for what the schema does not have', undefined, 'BAD_USER_INPUT', 'subscription { usageTock { at } }'],
    [
      'for the schema',
      undefined,
      'BAD_USER_INPUT',
      'subscription { usageTick(tenantKey: "acme") { __typename at nothing } }',
    ],
  ])('is denied to %s', async (_name, headers, code, query) => {
    const stream = watch(query, headers ?? owner);
    await stream.ended;
    expect(stream.events).toHaveLength(1);
    expect(stream.events[0]?.errors?.[0]?.extensions).toMatchObject({ code });
    expect(JSON.stringify(stream.events)).not.toMatch(/did you mean/i);
  });

  it('is rejected above twenty per actor', async () => {
    const token = await app.bearer(['admin']);
    const streams = Array.from({ length: 20 }, () =>
      watch('subscription { usageTick(tenantKey: "acme") { at } }', token),
    );
    await eventually(async () => streams.every(({ events }) => events.length > 0));
    const further = watch('subscription { usageTick(tenantKey: "acme") { at } }', token);
    await further.ended;
    expect(further.events[0]?.errors?.[0]?.extensions.code).toBe('OVERLOADED');
    for (const stream of streams) stream.stop();
    await eventually(async () => {
      const again = watch('subscription { usageTick(tenantKey: "acme") { at } }', token);
      const isOpen = await Promise.race([again.ended.then(() => false), firstOf(again)]);
      again.stop();
      return isOpen;
    });
  });

  it.each([
    ['from another site', { origin: 'https://evil.example' }, 'application/json', 403],
    ['as a form', { origin: ORIGIN }, 'text/plain', 415],
  ])('is rejected %s', async (_name, headers, type, status) => {
    const response = await fetch(`${app.url}/graphql/stream`, {
      method: 'POST',
      headers: { ...owner, ...headers, 'content-type': type },
      body: JSON.stringify({ query: NOTICES }),
    });
    expect(response.status).toBe(status);
  });

  it('cannot be opened by GET', async () => {
    expect((await fetch(`${app.url}/graphql/stream?query=x`, { headers: owner })).status).toBe(405);
  });

  it('ends when the server stops', async () => {
    const stopping = await createApp(app.config);
    await stopping.listen(0, '127.0.0.1');
    const url = (await stopping.getUrl()).replace('[::1]', '127.0.0.1');
    const stream = watch('subscription { usageTick(tenantKey: "acme") { at } }', owner, url);
    await eventually(() => stream.events.length > 0);
    await stopping.close();
    await stream.ended;
  });
});

/** Reports decisions like a node. */
async function use(tenant: string, count: number, sequence: number): Promise<void> {
  const minute = Math.floor(Date.now() / 60_000);
  const decided = { tenant, api: 'shop', operation: 'buy', limit: null, outcome: 'allowed', minute } as const;
  const rows = [{ ...decided, count, units: count }];
  const frame: UsageFrame = { nodeId: 'n1', epoch: 'e1', sequence, atMs: Date.now(), rows };
  await redis.xadd('tg:usage', '*', 'frame', JSON.stringify(frame));
}

async function firstOf({ events }: Watch): Promise<boolean> {
  await eventually(() => events.length > 0);
  return events[0]?.errors === undefined;
}

async function tokenId(headers: Record<string, string>): Promise<string> {
  return (await app.graphql('{ viewer { id } }', {}, headers)).data.viewer.id;
}

/** Headers of a viewer of a tenant who is not an operator. */
async function memberOf(tenantKey: string): Promise<Record<string, string>> {
  const headers = await app.signIn('VIEWER');
  const { data } = await app.graphql('{ viewer { id email } }', {}, headers);
  const { id, email } = data.viewer;
  await app.database.user.update({ where: { id }, data: { role: null } });
  await app.database.member.create({
    data: {
      id: `mem_${id.slice(4)}`,
      tenantId: await tenantId(tenantKey),
      userId: id,
      email,
      name: 'Member',
      role: 'VIEWER',
    },
  });
  return headers;
}
