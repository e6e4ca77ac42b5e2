import { readFileSync } from 'node:fs';
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeTransport } from './graphql-transport/transport-suite.js';
import { createPolicy, PUBLISH, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
});
afterAll(() => app.stop());

describeTransport(() => app);

describe('authentication', () => {
  const CODES = 'query { viewer { role permissions } }';

  it('rejects requests without a credential', async () => {
    const { errors } = await app.graphql(CODES, {}, {});
    expect(errors[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it.each([
    'Bearer nonsense',
    'Basic dXNlcjpwYXNz',
    'Bearer tga_live_000000000000000000000000000000000000000000000000000',
  ])('rejects %s', async (authorization) => {
    const { errors } = await app.graphql(CODES, {}, { authorization });
    expect(errors[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect(errors[0]?.message).toMatch('The service token is not valid');
  });

  it('accepts an admin token and rejects a decision token', async () => {
    expect((await app.graphql(CODES, {}, await app.bearer(['admin']))).data.viewer.role).toBe('OWNER');
    const { errors } = await app.graphql(CODES, {}, await app.bearer(['decide']));
    expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('rejects a revoked token', async () => {
    const headers = await app.bearer(['admin']);
    const { data } = await app.graphql('{ serviceTokens { id } }', {}, headers);
    const revoke =
      'mutation($id: ID!) { serviceTokenRevoke(input: { id: $id }) { serviceToken { revokedAt } } }';
    await app.graphql(revoke, { id: data.serviceTokens[0].id });
    expect((await app.graphql(CODES, {}, headers)).errors[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('lets a viewer read policy but neither tokens nor the audit log, and change nothing', async () => {
    const headers = await app.signIn('VIEWER');
    expect((await app.graphql('{ tiers { nodes { key } } }', {}, headers)).data.tiers.nodes).toHaveLength(1);
    for (const query of [
      'mutation { tierCreate(input: { key: "x", name: "X" }) { tier { id } } }',
      'mutation { tenantSuspend(input: { tenantKey: "acme", expectedVersion: 1 }) { tenant { id } } }',
      '{ serviceTokens { id } }',
      '{ auditEntries { nodes { id } } }',
    ]) {
      const { errors } = await app.graphql(query, {}, headers);
      expect(errors[0]?.extensions.code, query).toBe('FORBIDDEN');
    }
    expect(await app.database.tier.count()).toBe(1);
  });

  it('returns null from node() for missing and for inaccessible objects', async () => {
    const headers = await app.signIn('VIEWER');
    const entry = await app.database.auditEntry.findFirstOrThrow();
    const node = async (id: string) =>
      (await app.graphql('query($id: ID!) { node(id: $id) { id } }', { id }, headers)).data;
    expect(await node(entry.id)).toEqual({ node: null });
    expect(await node(`evt_${'0'.repeat(32)}`)).toEqual({ node: null });
    expect(await node('\u0001')).toEqual({ node: null });
  });
});

describe('the schema', () => {
  const sdl = readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8');
  const read = (headers: Record<string, string>) => fetch(`${app.url}/schema.graphql`, { headers });

  it('is served as text to signed-in users and to tokens of this API', async () => {
    for (const headers of [await app.signIn('VIEWER'), await app.bearer(['nodes:read'], ['acme'])]) {
      const response = await read(headers);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.text()).toBe(sdl);
    }
  });

  it('is not served to others', async () => {
    const callers = [{}, { authorization: 'Bearer nonsense' }, await app.bearer(['decide'])];
    const answers = await Promise.all(
      callers.map(async (headers) => {
        const response = await read(headers);
        const { code } = (await response.json()) as { code: string };
        return [response.status, response.headers.get('content-type'), code];
      }),
    );
    const type = expect.stringContaining('application/problem+json');
    expect(answers).toEqual([
      [401, type, 'UNAUTHENTICATED'],
      [401, type, 'UNAUTHENTICATED'],
      [403, type, 'FORBIDDEN'],
    ]);
  });

  it('is introspected by tokens with the scope admin', async () => {
    const { data, errors } = await app.graphql(getIntrospectionQuery(), {}, await app.bearer(['admin']));
    expect(errors).toEqual([]);
    expect(`${printSchema(lexicographicSortSchema(buildClientSchema(data)))}\n`).toBe(
      `${printSchema(lexicographicSortSchema(buildSchema(sdl)))}\n`,
    );
  });

  it('is introspected by nobody else, in fragments neither', async () => {
    const callers: [Record<string, string>, string][] = [
      [{}, 'UNAUTHENTICATED'],
      [{ authorization: 'Bearer nonsense' }, 'UNAUTHENTICATED'],
      [await app.signIn('OWNER'), 'FORBIDDEN'],
      [await app.bearer(['decide']), 'FORBIDDEN'],
      [await app.bearer(['read', 'config']), 'FORBIDDEN'],
      [await app.bearer(['admin'], ['acme']), 'FORBIDDEN'],
    ];
    const documents = [
      '{ __schema { types { name } } }',
      '{ viewer { id } s: __type(name: "Tenant") { name } }',
      '{ ...f } fragment f on Query { ... { __schema { types { name } } } }',
      '{ ...f } fragment f on Query { __type(name: "Tenant") { name } }',
    ];
    for (const [headers, code] of callers)
      for (const query of documents) {
        const answer = await app.graphql(query, {}, headers);
        expect(answer, query).toMatchObject({
          status: code === 'FORBIDDEN' ? 403 : 401,
          errors: [{ extensions: { code } }],
        });
        expect(answer.data, query).toBeUndefined();
      }
  });

  it('is never introspected by a subscription', async () => {
    const response = await fetch(`${app.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await app.bearer(['admin'])) },
      body: JSON.stringify({ query: 'subscription { __schema { types { name } } }' }),
    });
    expect(await response.text()).toMatch(/introspection/i);
  });
});

describe('reading', () => {
  it('pages through a list without gaps or repeats', async () => {
    for (const key of ['t1', 't2', 't3']) {
      await app.graphql(
        'mutation($key: String!) { tenantCreate(input: { key: $key, name: $key, tierKey: "basic" }) { tenant { id } } }',
        { key },
      );
    }
    const query = `query($after: String) {
      tenants(first: 2, after: $after) { totalCount nodes { key } pageInfo { hasNextPage hasPreviousPage endCursor } }
    }`;
    const first = (await app.graphql(query)).data.tenants;
    const second = (await app.graphql(query, { after: first.pageInfo.endCursor })).data.tenants;
    expect([...first.nodes, ...second.nodes].map((node: { key: string }) => node.key)).toEqual([
      'acme',
      't1',
      't2',
      't3',
    ]);
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
    expect(second.pageInfo.hasPreviousPage).toBe(true);
    expect(first.totalCount).toBe(4);
  });

  it.each([
    ['{ tenants(first: 0) { totalCount } }', /first/],
    ['{ tenants(first: 101) { totalCount } }', /first/],
    ['{ tenants(first: -1) { totalCount } }', /first/],
    ['{ tenants(after: "nonsense") { totalCount } }', /after/],
    [`{ tenants(after: "${cursor('tiers', { rank: 1, key: 'x' })}") { totalCount } }`, /after/],
    [`{ tenants(after: "${cursor('tenants', 'a\u0000')}") { totalCount } }`, /after/],
    [`{ apis(after: "${cursor('apis', '\ud800')}") { totalCount } }`, /after/],
    [`{ tiers(after: "${cursor('tiers', { rank: 2 ** 40, key: 'x' })}") { totalCount } }`, /after/],
    [`{ tiers(after: "${cursor('tiers', { rank: 1, key: 'a\u0000' })}") { totalCount } }`, /after/],
    ['{ tenants(tier: "not a key") { totalCount } }', /tier/],
  ])('%s is rejected with its reason', async (query, message) => {
    const { errors } = await app.graphql(query);
    expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(errors[0]?.message).toMatch(message);
  });

  it('a search matches parts of names literally, including wildcards', async () => {
    const search = async (text: string) =>
      (await app.graphql('query($s: String) { tenants(search: $s) { totalCount } }', { s: text })).data
        .tenants.totalCount;
    expect(await search('ACM')).toBe(1);
    expect(await search('%')).toBe(0);
    expect(await search('_')).toBe(0);
  });

  it('a list of tenants is read with all fields at once', async () => {
    const query = `{ tenants { nodes { key subscription { tier { key } tierVersion { limits { summary } } } members { email }
      effectiveLimits { limit { name } source live { used remaining } } } } }`;
    const { data, errors } = await app.graphql(query);
    expect(errors).toEqual([]);
    expect(data.tenants.nodes[0].effectiveLimits).toEqual([
      { limit: { name: 'per-minute' }, source: 'TIER', live: { used: 0, remaining: 10 } },
    ]);
  });
});

describe('several mutations in one document', () => {
  it('each return the state after their own change', async () => {
    const { data, errors } = await app.graphql(`mutation {
      create: tierCreate(input: { key: "fresh", name: "Fresh" }) { tier { draft { number } } }
      save: tierDraftSave(input: { tierKey: "fresh", expectedVersion: 1, limits: [
        { name: "x", apiKey: "shop", algorithm: GCRA, limit: 5, windowMs: 1000 }] }) { tier { draft { number limits { name } } } }
      publish: tierPublish(input: { tierKey: "fresh", expectedVersion: 2 }) { tier { published { number } draft { number } } }
    }`);
    expect(errors).toEqual([]);
    expect(data).toEqual({
      create: { tier: { draft: null } },
      save: { tier: { draft: { number: 1, limits: [{ name: 'x' }] } } },
      publish: { tier: { published: { number: 1 }, draft: null } },
    });
  });
});

describe('a change with an outdated version', () => {
  it('is rejected with the current state', async () => {
    const version = await versionOf(app, 'tier', 'basic');
    const input = { tierKey: 'basic', expectedVersion: version - 1, limits: [] };
    const { data } = await app.graphql(SAVE_DRAFT, { input });
    expect(data.tierDraftSave.userErrors).toMatchObject([{ code: 'CONFLICT', field: ['expectedVersion'] }]);
    expect(data.tierDraftSave.tier.version).toBe(version);
  });

  it('fails for one of two concurrent changes', async () => {
    const expectedVersion = await versionOf(app, 'tenant', 'acme');
    const suspend = `mutation($input: TenantStatusInput!) {
      tenantSuspend(input: $input) { tenant { status } userErrors { code } } }`;
    const input = { tenantKey: 'acme', expectedVersion };
    const answers = await Promise.all([app.graphql(suspend, { input }), app.graphql(suspend, { input })]);
    const codes = answers.flatMap(({ data }) =>
      data.tenantSuspend.userErrors.map((e: { code: string }) => e.code),
    );
    expect(codes).toEqual(['CONFLICT']);
  });

  it('returns NOTHING_TO_PUBLISH without a draft', async () => {
    const input = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') };
    const { data } = await app.graphql(PUBLISH, { input });
    expect(data.tierPublish).toMatchObject({ changeId: null, userErrors: [{ code: 'NOTHING_TO_PUBLISH' }] });
  });
});

/** A well-formed cursor with a place that the server did not issue. */
function cursor(list: string, place: unknown): string {
  return Buffer.from(JSON.stringify([list, place])).toString('base64url');
}
