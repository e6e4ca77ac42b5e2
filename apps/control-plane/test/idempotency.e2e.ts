import { randomUUID } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApp } from '../src/app.js';
import { unavailable } from '../src/platform/api-error.js';
import { IdempotencyRepository } from '../src/platform/idempotency/idempotency.repository.js';
import { JobsRunner } from '../src/platform/jobs/jobs-runner.js';
import { Database } from '../src/platform/prisma/database.js';
import { callWithOneKey } from './support/one-key.js';
import { type GraphqlAnswer, startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
/** A second process on the same database. */
let other: NestFastifyApplication;
let otherUrl: string;
let headers: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp();
  other = await createApp(app.config);
  await other.listen(0, '127.0.0.1');
  otherUrl = (await other.getUrl()).replace('[::1]', '127.0.0.1');
  headers = await app.bearer(['admin']);
});
afterAll(async () => {
  await other.close();
  await app.stop();
});

const createTier = (key: string) =>
  `mutation { tierCreate(input: { key: "${key}", name: "${key}" }) { tier { id key } userErrors { code } } }`;
const CREATE_TOKEN = `mutation { serviceTokenCreate(input: { name: "robot", scopes: ["decide"] }) {
  serviceToken { id } token userErrors { code } } }`;

async function send(query: string, key: string | undefined, as = headers, url = app.url) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...as,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({ query }),
  });
  const body = (await response.json()) as Pick<GraphqlAnswer, 'data'> & {
    errors?: GraphqlAnswer['errors'];
    extensions: { cost: { actualQueryCost: number } };
  };
  return { status: response.status, replayed: response.headers.get('idempotent-replayed'), ...body };
}

describe('a mutation sent twice under one key', () => {
  it('runs once and returns the same response, including secrets', async () => {
    const key = randomUUID();
    const first = await send(CREATE_TOKEN, key);
    const again = await send(CREATE_TOKEN, key);
    const elsewhere = await send(CREATE_TOKEN, `"${key}"`, headers, otherUrl);
    expect(first.data.serviceTokenCreate.token).toMatch(/^tga_/);
    expect([again.data, elsewhere.data]).toEqual([first.data, first.data]);
    expect([first.replayed, again.replayed, elsewhere.replayed]).toEqual([null, 'true', 'true']);
    expect(again.extensions.cost.actualQueryCost).toBe(1);
  });

  it('is rejected if the request differs', async () => {
    const key = randomUUID();
    await send(createTier('one'), key);
    const answer = await send(createTier('two'), key);
    expect(answer.status).toBe(422);
    expect(answer.data).toBeUndefined();
    expect(answer.errors?.[0]?.extensions.code).toBe('IDEMPOTENCY_MISMATCH');
    expect(await app.database.tier.count({ where: { key: 'two' } })).toBe(0);
  });

  it('runs again for another actor', async () => {
    const key = randomUUID();
    const mine = await send(CREATE_TOKEN, key);
    const theirs = await send(CREATE_TOKEN, key, await app.bearer(['admin']));
    expect(theirs.replayed).toBeNull();
    expect(theirs.data.serviceTokenCreate.token).not.toBe(mine.data.serviceTokenCreate.token);
  });

  it('returns stored errors too', async () => {
    const key = randomUUID();
    await send(createTier('taken'), undefined);
    const first = await send(createTier('taken'), key);
    expect(first.data.tierCreate.userErrors).toEqual([{ code: 'TAKEN' }]);
    expect((await send(createTier('taken'), key)).replayed).toBe('true');
  });

  it('runs again if nothing was executed the first time', async () => {
    const key = randomUUID();
    const viewer = await app.signIn('VIEWER');
    expect((await send(createTier('later'), key, viewer)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    await app.database.user.updateMany({ where: { role: 'VIEWER' }, data: { role: 'OWNER' } });
    expect((await send(createTier('later'), key, viewer)).data.tierCreate.tier.key).toBe('later');
  });

  it.each(['x'.repeat(256), 'two words', '"'])('rejects the key %s', async (key) => {
    const { status, errors } = await send(createTier('never'), key);
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  it('is not affected by a key on a query', async () => {
    const answer = await send('{ viewer { id } }', 'whatever');
    expect(answer.replayed).toBeNull();
  });
});

describe('concurrent repetitions', () => {
  it('in two processes have one effect and equal responses', async () => {
    const before = await app.database.serviceToken.count();
    const urls = [app.url, otherUrl];
    const result = await callWithOneKey({ urls, headers, calls: 60, key: randomUUID(), query: CREATE_TOKEN });
    expect(result).toMatchObject({ answers: 1, failures: 0 });
    expect(await app.database.serviceToken.count()).toBe(before + 1);
  });
});

describe('after a crash', () => {
  /** As after a crash between the commits of the change and of the response. */
  const loseAnswers = () =>
    app.database
      .$executeRaw`UPDATE idempotency_key SET answer = NULL, lease_until = now() - interval '1 second'`;

  it('between change and response, the change is not repeated and its outcome is returned', async () => {
    const key = randomUUID();
    const first = await send(CREATE_TOKEN, key);
    const count = await app.database.serviceToken.count();
    await loseAnswers();
    const again = await send(CREATE_TOKEN, key, headers, otherUrl);
    expect(again.data).toEqual(first.data);
    expect(again.replayed).toBeNull();
    expect(await app.database.serviceToken.count()).toBe(count);
  });

  it('between two changes of one document, only the second is executed', async () => {
    const key = randomUUID();
    const both = `mutation {
      a: tierCreate(input: { key: "first", name: "First" }) { tier { id } userErrors { code } }
      b: tierCreate(input: { key: "second", name: "Second" }) { tier { id } userErrors { code } } }`;
    const first = await send(both, key);
    await app.database.$executeRaw`DELETE FROM idempotency_step WHERE name = 'b#0'`;
    await app.database.tier.delete({ where: { key: 'second' } });
    await loseAnswers();
    const again = await send(both, key);
    expect(again.data.a).toEqual(first.data.a);
    expect(again.data.b.userErrors).toEqual([]);
    expect(again.data.b.tier.id).not.toBe(first.data.b.tier.id);
  });

  it('of a process that holds the key, a repetition waits until the lease expires', async () => {
    const key = randomUUID();
    await send(CREATE_TOKEN, key);
    await app.database
      .$executeRaw`UPDATE idempotency_key SET answer = NULL, lease_until = now() + interval '1 second'`;
    const again = await send(CREATE_TOKEN, key);
    expect(again.data.serviceTokenCreate.token).toMatch(/^tga_/);
  });
});

describe('while the database fails as a request ends', () => {
  afterEach(() => vi.restoreAllMocks());

  it('returns the response and replays it', async () => {
    const key = randomUUID();
    const repository = app.app.get(IdempotencyRepository, { strict: false });
    vi.spyOn(repository, 'answer').mockRejectedValueOnce(unavailable());
    const first = await send(CREATE_TOKEN, key);
    const again = await send(CREATE_TOKEN, key, headers, otherUrl);
    expect(again.data).toEqual(first.data);
    expect(first.data.serviceTokenCreate.token).toMatch(/^tga_/);
    expect(again.replayed).toBe('true');
  });

  it('releases the key of a failed request later', async () => {
    const key = randomUUID();
    const released = vi.spyOn(app.app.get(IdempotencyRepository, { strict: false }), 'release');
    released.mockRejectedValueOnce(unavailable());
    vi.spyOn(app.app.get(Database, { strict: false }), 'enterRequest').mockRejectedValueOnce(unavailable());
    const first = await send(CREATE_TOKEN, key);
    expect(first.errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
    const again = await send(CREATE_TOKEN, key, headers, otherUrl);
    expect(again.data.serviceTokenCreate.token).toMatch(/^tga_/);
    expect(released).toHaveBeenCalledTimes(2);
  });
});

describe('the stored response', () => {
  it('cannot be read from the database; neither can the key', async () => {
    const key = randomUUID();
    const { data } = await send(CREATE_TOKEN, key);
    const rows = [
      ...(await app.database.idempotencyKey.findMany()),
      ...(await app.database.idempotencyStep.findMany()),
    ];
    const all = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      .join('\n');
    expect(all).not.toContain(key);
    expect(all).not.toContain(data.serviceTokenCreate.token);
  });

  it('is deleted after a day, and the key can be used again', async () => {
    const key = randomUUID();
    await send(createTier('daily'), key);
    await app.database.$executeRaw`UPDATE idempotency_key SET expires_at = now() - interval '1 second'`;
    expect((await send(createTier('daily'), key)).data.tierCreate.userErrors).toEqual([{ code: 'TAKEN' }]);
    await app.database.$executeRaw`UPDATE idempotency_key SET expires_at = now() - interval '1 second'`;
    await app.app.get(JobsRunner, { strict: false }).run('idempotency-retention');
    expect(await app.database.idempotencyKey.count()).toBe(0);
    expect(await app.database.idempotencyStep.count()).toBe(0);
  });
});
