import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { eventually } from '@tollgate/test-kit';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../src/app.js';
import { createPolicy, versionOf } from './support/policy-factory.js';
import { addNotice, reportDecisions } from './support/stream-events.js';
import { ORIGIN, startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
/** Another process on the same database and Redis. */
let other: NestFastifyApplication;
let otherUrl: string;
let owner: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  other = await createApp(app.config);
  await other.listen(0, '127.0.0.1');
  otherUrl = (await other.getUrl()).replace('[::1]', '127.0.0.1');
  owner = await app.bearer(['admin']);
});
afterAll(async () => {
  await other.close();
  await app.stop();
});

interface Watch {
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary events.
  events: { data?: any; errors?: readonly any[]; extensions?: any }[];
  /** Resolves when the server ends the stream; rejects if it denies the stream. */
  ended: Promise<void>;
  stop(): void;
}

function watch(query: string, headers = owner, url = app.url, extensions = {}): Watch {
  const client = createClient({ url: `${url}/graphql/stream`, headers, retryAttempts: 0 });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const events: Watch['events'] = [];
  const stop = client.subscribe(
    { query, extensions },
    { next: (event) => events.push(event), error: reject, complete: resolve },
  );
  ended.catch(() => undefined);
  return { events, ended, stop };
}

const tenantId = async (key: string) => (await app.database.tenant.findUniqueOrThrow({ where: { key } })).id;
const NOTICES = 'subscription { noticeAdded { kind title tenantKey } }';

describe('noticeAdded', () => {
  it('sends each notice to all subscribers, in every process', async () => {
    const here = watch(NOTICES);
    const there = watch(NOTICES, owner, otherUrl);
    await eventually(async () => {
      await addNotice(app, 'acme');
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
    await eventually(async () => {
      await addNotice(app, 'rival');
      await addNotice(app, 'acme');
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
    await reportDecisions(app, 'rival', 'allowed', 1000);
    await reportDecisions(app, 'acme', 'allowed', 5);
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

  it('is denied to the page of a user who was signed in before', async () => {
    const former = await app.signIn('VIEWER');
    const viewerId = (await app.graphql('{ viewer { id } }', {}, former)).data.viewer.id;
    const open = (headers: Record<string, string>) => watch(NOTICES, headers, app.url, { viewerId });
    const denied = open(await app.signIn('VIEWER'));
    await denied.ended;
    expect(denied.events).toMatchObject([{ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }]);
    const own = open(former);
    await eventually(async () => {
      await addNotice(app, 'acme');
      return own.events.length > 0;
    });
    expect(own.events[0]?.errors).toBeUndefined();
    own.stop();
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

describe('several subscriptions on one connection', () => {
  const TICK = 'subscription { usageTick(tenantKey: "acme") { at } }';

  it('label each result with its subscription, and mark the end of one', async () => {
    const unknown = 'subscription Propagation($id: ID!) { propagationChanged(changeId: $id) { state } }';
    const stream = watch(TICK, owner, app.url, {
      additionalSubscriptions: [{ query: NOTICES }, { query: unknown, variables: { id: 'chg_none' } }],
    });
    const of = (position: number) =>
      stream.events.filter(({ extensions }) => extensions.subscription === position);
    await eventually(async () => {
      await addNotice(app, 'acme');
      return of(0).length > 1 && of(1).length > 0;
    });
    expect(of(0)[0]?.data.usageTick.at).toBeDefined();
    expect(of(1)[0]?.data.noticeAdded.tenantKey).toBe('acme');
    expect(of(2)).toMatchObject([
      { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
      { extensions: { ended: true } },
    ]);
    stream.stop();
  });

  it('check each for the permissions of the caller', async () => {
    const member = await memberOf('acme');
    const stream = watch(TICK, member, app.url, { additionalSubscriptions: [{ query: NOTICES }] });
    await eventually(() => stream.events.some(({ data }) => data?.usageTick !== undefined));
    await eventually(() => stream.events.some(({ extensions }) => extensions.ended));
    const denied = stream.events.filter(({ extensions }) => extensions.subscription === 1);
    expect(denied[0]?.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    stream.stop();
  });

  it('end without a mark when the caller loses permissions', async () => {
    const operator = await app.signIn('SUPPORT');
    const stream = watch(TICK, operator, app.url, { additionalSubscriptions: [{ query: NOTICES }] });
    await eventually(() => stream.events.length > 0);
    await app.database.user.updateMany({ where: { role: 'SUPPORT' }, data: { role: 'VIEWER' } });
    await stream.ended;
    expect(stream.events.filter(({ extensions }) => extensions.ended)).toEqual([]);
  });

  it('are denied to nobody as one', async () => {
    const stream = watch(TICK, {}, app.url, { additionalSubscriptions: [{ query: NOTICES }] });
    await stream.ended;
    expect(stream.events).toMatchObject([{ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }]);
    expect(stream.events[0]?.extensions).toBeUndefined();
  });

  const wide = (i: number) => `subscription Notices${i} { noticeAdded {${' id'.repeat(60)} } }`;

  it('may share one large document with different variables', async () => {
    const additionalSubscriptions = Array.from({ length: 19 }, () => ({ query: wide(1) }));
    const stream = watch('subscription { nothing }', owner, app.url, { additionalSubscriptions });
    await eventually(() => stream.events.some(({ extensions }) => extensions.ended));
    await eventually(async () => {
      await addNotice(app, 'acme');
      return (
        new Set(stream.events.filter(({ data }) => data).map(({ extensions }) => extensions.subscription))
          .size === 19
      );
    });
    stream.stop();
  });

  it.each([
    ['that are no list', { query: NOTICES }, /at most 19/],
    ['without a query', [{ variables: {} }], /query and variables/],
    ['with a list of variables', [{ query: NOTICES, variables: [] }], /query and variables/],
    ['above twenty', Array.from({ length: 20 }, () => ({ query: NOTICES })), /at most 19/],
    ['above the size of one document', [{ query: `${NOTICES}${' '.repeat(16_384)}` }], /16384 characters/],
    [
      'above the tokens of one document',
      Array.from({ length: 19 }, (_, i) => ({ query: wide(i) })),
      /1000 tokens/,
    ],
  ])('are rejected %s', async (_name, additional, message) => {
    const response = await fetch(`${app.url}/graphql/stream`, {
      method: 'POST',
      headers: { ...owner, 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify({ query: TICK, extensions: { additionalSubscriptions: additional } }),
    });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    expect(errors[0]?.message).toMatch(message);
  });

  it('are rejected above the limits of a document, each alone', async () => {
    const fields = Array.from({ length: 20 }, (_, i) => `a${i}: at`).join(' ');
    const wide = `subscription { usageTick(tenantKey: "acme") { ${fields} } }`;
    const stream = watch(TICK, owner, app.url, { additionalSubscriptions: [{ query: wide }] });
    await eventually(() => stream.events.some(({ data }) => data?.usageTick !== undefined));
    await eventually(() => stream.events.some(({ extensions }) => extensions.ended));
    const rejected = stream.events.find(({ errors }) => errors !== undefined);
    expect(rejected).toMatchObject({ errors: [{ message: expect.stringMatching(/15 aliases/) }] });
    stream.stop();
  });
});

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
