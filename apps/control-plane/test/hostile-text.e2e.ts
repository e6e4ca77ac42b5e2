import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy } from './support/policy-factory.js';
import { ORIGIN, PASSWORD, startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let headers: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  headers = await app.bearer(['admin']);
});
afterAll(() => app.stop());

/** Text with a NUL or a lone surrogate. */
const hostile = fc
  .tuple(fc.string({ maxLength: 5 }), fc.constantFrom('\0', '\ud800', '\udc00'), fc.string({ maxLength: 5 }))
  .map((parts) => parts.join(''))
  .filter((text) => text.includes('\0') || !text.isWellFormed());

async function send(body: object, more: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...more },
    body: JSON.stringify(body),
  });
  const { errors = [] } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
  return errors.map(({ extensions }) => extensions.code);
}

/** A literal with every character escaped. */
const literal = (text: string) =>
  `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;

type Case = (text: string) => object;
const variable =
  (query: string, variables: (text: string) => object): Case =>
  (text) => ({ query, variables: variables(text) });

const CASES: Record<string, Case> = {
  'a String variable': variable('query($k: String!) { tenant(key: $k) { key } }', (k) => ({ k })),
  'an ID variable': variable('query($id: ID!) { node(id: $id) { id } }', (id) => ({ id })),
  'a nested input': variable(
    'mutation($i: TenantCreateInput!) { tenantCreate(input: $i) { changeId } }',
    (text) => ({ i: { key: 'x', name: text, tierKey: 'basic', reason: text } }),
  ),
  'a list in an input': variable(
    'mutation($i: ServiceTokenCreateInput!) { serviceTokenCreate(input: $i) { token } }',
    (text) => ({ i: { name: 'x', scopes: [text] } }),
  ),
  'a JSONObject': variable(
    'mutation($i: ChangeSetAddItemInput!) { changeSetAddItem(input: $i) { userErrors { code } } }',
    (text) => ({
      i: { id: 'chs_1', expectedVersion: 1, command: 'tenantUpdate', input: { deep: [{ name: text }] } },
    }),
  ),
  'the name of a field of a JSONObject': variable(
    'mutation($i: ChangeSetAddItemInput!) { changeSetAddItem(input: $i) { userErrors { code } } }',
    (text) => ({ i: { id: 'chs_1', expectedVersion: 1, command: 'tenantUpdate', input: { [text]: 1 } } }),
  ),
  'an inline literal': (text) => ({ query: `{ tenant(key: ${literal(text)}) { key } }` }),
  'an inline ID': (text) => ({ query: `{ node(id: ${literal(text)}) { id } }` }),
  'an inline input': (text) => ({
    query: `mutation { tenantCreate(input: { key: "x", name: ${literal(text)}, tierKey: "basic" }) { changeId } }`,
  }),
  'the document itself': (text) => ({ query: `{ tenant(key: "${text}\0") { key } }` }),
  'a cursor': (text) => ({
    query: 'query($a: String) { invitations(tenantKey: "acme", after: $a) { totalCount nodes { id } } }',
    variables: { a: Buffer.from(JSON.stringify(['invitations', text])).toString('base64url') },
  }),
};

describe('text that Postgres cannot store is rejected as BAD_USER_INPUT', () => {
  it.each(Object.entries(CASES))('in %s', async (_name, build) => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const codes = await send(build(text));
        // In UTF-8 a cursor has no lone surrogates, so it matches no row.
        if (codes.length === 0) expect(JSON.stringify(build(text))).not.toContain('\\u0000');
        for (const code of codes) expect(code).toBe('BAD_USER_INPUT');
      }),
      { numRuns: 25 },
    );
  });

  it.each(['x\u00e9', '""', '"a b"', 'a'.repeat(256), '%00'.repeat(100)])(
    'in the header Idempotency-Key: %j',
    async (key) => {
      const body = {
        query: 'mutation { tenantUpdate(input: { tenantKey: "acme", expectedVersion: 9 }) { changeId } }',
      };
      const codes = await send(body, { 'idempotency-key': key });
      expect(codes).toEqual(['BAD_USER_INPUT']);
    },
  );

  it('in paths and bodies of other routes', async () => {
    const signIn = await fetch(`${app.url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify({ email: 'a\0@example.com', password: PASSWORD }),
    });
    const audit = await fetch(`${app.url}/api/audit/export?tenantKey=a%00b`, { headers });
    const verify = await fetch(`${app.url}/api/auth/magic-link/verify?token=%00`, { redirect: 'manual' });
    expect([signIn.status, audit.status, verify.status]).toEqual([400, 400, 400]);
  });
});

describe('persisted queries', () => {
  it.each([
    { version: 1, sha256Hash: 'x'.repeat(64) },
    { version: 1, sha256Hash: '\0' },
    { version: 1, sha256Hash: 7 },
    { version: 1 },
    { version: 'x', sha256Hash: {} },
    'x',
    7,
  ])('are rejected as BAD_USER_INPUT: %j', async (persistedQuery) => {
    for (const query of [undefined, '{ viewer { id } }']) {
      const codes = await send({ ...(query === undefined ? {} : { query }), extensions: { persistedQuery } });
      expect(codes).toEqual(['BAD_USER_INPUT']);
    }
  });
});
