import { MAX_CONFIG_BYTES } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { ORIGIN, type TestApp } from '../support/test-app.js';

const nested = (depth: number) => {
  const open = 'tenants { nodes { subscription { tier { published { limits { ';
  return depth === 0
    ? '{ viewer { id } }'
    : `{ ${open} id ${'... { '.repeat(depth)} name ${'} '.repeat(depth)} } } } } } } }`;
};

/** Requests that are rejected before execution. */
export function describeTransport(app: () => TestApp): void {
  describe('documents that are too large or too complex', () => {
    it.each([
      ['deep', nested(20), /depth/i],
      [
        'with many aliases',
        `{ ${Array.from({ length: 40 }, (_, i) => `a${i}: viewer { id }`).join(' ')} }`,
        /alias/i,
      ],
      ['with many directives', `{ viewer ${'@skip(if: false) '.repeat(60)} { id } }`, /directive/i],
      ['with many tokens', `{ ${'viewer { id } '.repeat(400)} }`, /token/i],
      ['that cannot be read', '{ viewer { id }', /Syntax/],
      ['that guess field names', '{ viewer { emial } }', /Cannot query field "emial"/],
    ])('%s are rejected before execution', async (_name, query, message) => {
      const { data, errors } = await app().graphql(query);
      expect(data).toBeUndefined();
      expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
      expect(errors[0]?.message).toMatch(message);
      expect(errors[0]?.message).not.toMatch(/did you mean/i);
      expect(errors[0]?.extensions.requestId).toMatch(/^req_/);
    });

    it.each(['/graphql', '/graphql/stream'])('that select no operation are rejected by %s', async (path) => {
      const bodies = [
        { query: 'query one { viewer { id } }', operationName: 'two' },
        { query: 'query one { viewer { id } } query two { viewer { id } }' },
        { query: 'fragment f on Query { viewer { id } }' },
      ];
      for (const body of bodies) {
        const response = await fetch(`${app().url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(response.status).toBe(400);
        const { errors } = (await response.json()) as { errors: object[] };
        expect(errors).toMatchObject([
          { message: expect.stringMatching(/operation/), extensions: { code: 'BAD_USER_INPUT' } },
        ]);
      }
    });

    it('bodies above 64 kB of unknown callers are rejected unread', async () => {
      const query = `{ viewer { id } } # ${'x'.repeat(70_000)}`;
      const response = await post(JSON.stringify({ query }));
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ code: 'body-too-large' });
    });

    it.each([
      [60_000, 400],
      [70_000, 413],
    ])(
      'a body of %d bytes of an unknown caller without a length is answered with %d',
      async (bytes, status) => {
        const body = new Blob([
          JSON.stringify({ query: `{ viewer { id } } # ${'x'.repeat(bytes)}` }),
        ]).stream();
        const headers = { 'content-type': 'application/json', origin: ORIGIN };
        const init = { method: 'POST', headers, body, duplex: 'half' };
        const response = await fetch(`${app().url}/graphql`, init as RequestInit);
        expect(response.status).toBe(status);
      },
    );

    it('a configuration of the permitted size is read, with each of its quotation marks escaped', async () => {
      const document = '"'.repeat(MAX_CONFIG_BYTES);
      const { data } = await app().graphql(
        'mutation($input: ConfigApplyInput!) { configApply(input: $input) { userErrors { code field } } }',
        { input: { document } },
      );
      expect(data.configApply.userErrors).toEqual([{ code: 'INVALID', field: ['document'] }]);
    });

    it('a sender of 4 MB receives the error before the connection ends', async () => {
      const body = JSON.stringify({ query: '{ viewer { id } }', variables: { s: 'x'.repeat(4 << 20) } });
      const answers = await Promise.all(Array.from({ length: 4 }, async () => (await post(body)).json()));
      expect(answers).toMatchObject(answers.map(() => ({ code: 'body-too-large' })));
    });
  });

  describe('transport', () => {
    it('a batch is rejected', async () => {
      const response = await post(
        JSON.stringify([{ query: '{ viewer { id } }' }, { query: '{ viewer { id } }' }]),
      );
      expect(response.status).toBe(400);
    });

    it('GET is rejected for queries and mutations', async () => {
      const query = encodeURIComponent(
        'mutation { tierCreate(input: { key: "x", name: "X" }) { tier { id } } }',
      );
      const response = await fetch(`${app().url}/graphql?query=${query}`, {
        headers: await app().bearer(['admin']),
      });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
    });

    it('another spelling of the path is no bypass', async () => {
      const headers = await app().bearer(['admin']);
      const get = await fetch(`${app().url}/%67raphql?query={__typename}`, {
        headers: { ...headers, 'apollo-require-preflight': 'yes' },
      });
      expect(get.status).toBe(405);
      const form = await fetch(`${app().url}/graph%71l`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/x-www-form-urlencoded',
          'x-apollo-operation-name': 'x',
        },
        body: 'query=mutation{tierCreate(input:{key:"x",name:"X"}){tier{id}}}',
      });
      expect(form.status).toBe(415);
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
      'a body of type %s is rejected',
      async (type) => {
        const response = await post(JSON.stringify({ query: '{ viewer { id } }' }), { 'content-type': type });
        expect(response.status).toBe(415);
      },
    );

    it('a body that is not JSON is a client error', async () => {
      const response = await post('{ "query": ');
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'body-invalid' });
    });

    it.each([
      'https://evil.example',
      'null',
      'http://tollgate.localhost.evil.example',
      'https://tollgate.localhost',
    ])('a request from origin %s is rejected', async (origin) => {
      const cookie = await app().signIn('OWNER');
      const response = await post(JSON.stringify({ query: '{ viewer { id } }' }), { ...cookie, origin });
      expect(response.status).toBe(403);
    });

    it.each([
      ['/graphql', JSON.stringify({ query: 'mutation { tenantSuspend(input: {}) { changeId } }' })],
      ['/api/auth/sign-out', '{}'],
    ])('a POST to %s with a session cookie but no origin is rejected', async (path, body) => {
      const { cookie = '' } = await app().signIn('OWNER');
      const send = (headers: Record<string, string>) =>
        fetch(`${app().url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', cookie, ...headers },
          body,
        });
      expect((await send({})).status).toBe(403);
      expect((await send({ origin: 'https://evil.example' })).status).toBe(403);
      expect((await send({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
      expect((await send({ origin: ORIGIN })).status).not.toBe(403);
    });

    it('a cross-site request without an origin is rejected', async () => {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
      expect((await app().graphql('{ viewer { id } }', {}, headers)).status).toBe(403);
    });

    it('responses have security headers and are not cached', async () => {
      const response = await post(JSON.stringify({ query: '{ __typename }' }));
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-store');
    });

    it('unknown paths are RFC 9457 problems', async () => {
      const response = await fetch(`${app().url}/nowhere`);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
    });
  });

  async function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${app().url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN, ...headers },
      body,
    });
  }
}
