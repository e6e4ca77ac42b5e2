import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { EXPLAIN_PATH, openExplainLink } from '@tollgate/contracts/explain-link';
import { issueToken } from '@tollgate/contracts/service-token';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { DenialLinks } from '../src/denial-links.js';
import { createDecisionServer } from '../src/server.js';
import { PEPPERS, tokenRecord, useRunningServer } from './running-server.js';

const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const HOUR = { windowMs: 3_600_000, alignment: 'first_request' as const };

describe('the HTTP API', () => {
  const otherScope = issueToken('tga', 'live');
  const expired = issueToken('tga', 'live');
  const running = useRunningServer((relay) => {
    const common = {
      api: 'url-shortener',
      algorithm: 'fixed_window',
      limit: 3,
      onUnavailable: 'share',
      ...HOUR,
    } as const;
    return {
      serviceTokens: [
        tokenRecord(otherScope, ['admin'], null),
        tokenRecord(expired, ['decide'], Date.now() - 1),
      ],
      limits: [
        { ...common, name: 'create-hour', operations: ['createURL'], per: [] },
        {
          ...common,
          name: 'delete-hour',
          operations: ['deleteURL'],
          per: ['user', 'ip'],
          onMissing: 'refuse',
        },
      ],
      tenants: ['acme', 'globex', 'initech', 'umbrella'].map((key) => relay.tenant(key)),
    };
  });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    running.post(path, body, headers);

  it('answers with the decision and the headers of the draft', async () => {
    const response = await post('/v1/limit', create);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      success: true,
      policy: 'create-hour',
      limit: 3,
      remaining: 2,
    });
    expect(response.headers.get('ratelimit-policy')).toBe('"create-hour";q=3;w=3600');
    expect(response.headers.get('ratelimit')).toMatch(/^"create-hour";r=2;t=3[56]\d\d$/);
    expect(response.headers.get('retry-after')).toBeNull();
  });

  it('denies with success: false, or with 429 on request, and sends the retry time', async () => {
    for (let i = 0; i < 3; i++) await post('/v1/limit', { ...create, tenant: 'globex' });
    const refused = await post('/v1/limit', { ...create, tenant: 'globex' });
    const answer = (await refused.json()) as { success: boolean; retryAfter: number };
    expect(refused.status).toBe(200);
    expect(answer).toMatchObject({ success: false, reason: 'RATE_EXCEEDED', remaining: 0, used: 3 });
    expect(refused.headers.get('retry-after')).toBe(String(answer.retryAfter));
    expect((await post('/v1/limit?status=http', { ...create, tenant: 'globex' })).status).toBe(429);
  });

  it('links the explanation of a denied decision in every form of the answer, with a console', async () => {
    const consoleUrl = 'https://tollgate.example';
    const [[version, secret] = [0, '']] = PEPPERS;
    const links = new DenialLinks(running.plane, { consoleUrl, pepper: { version, secret } });
    const logger = pino({ level: 'silent' });
    const server = createDecisionServer({ plane: running.plane, peppers: PEPPERS, logger, links });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const call = { ...create, tenant: 'umbrella', cost: 4 };
    const send = async (path: string, body: unknown) => {
      const headers = { Authorization: `Bearer ${running.token.token}`, 'Content-Type': 'application/json' };
      const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return JSON.parse(await response.text());
    };
    const { tenant, api, operation } = call;
    const answers = [
      await send('/v1/limit', call),
      await send('/v1/limit?status=http', call),
      (await send('/v1/limit/batch', { requests: [call] })).answers[0],
      await send('/v1/reserve', call),
      await send(`/v1/forward-auth/traefik?tenant=${tenant}&api=${api}&operation=${operation}&cost=4`, {}),
    ];
    for (const { docs, explain } of answers) {
      expect(docs).toBe(`${consoleUrl}/docs/denied-requests`);
      const link = decodeURIComponent(explain.slice(`${consoleUrl}${EXPLAIN_PATH}`.length));
      expect(openExplainLink(link, PEPPERS, Date.now())).toMatchObject({
        denied: { reason: 'RATE_EXCEEDED', limit: 'create-hour', retryAfter: null },
        origin: { tenant, api, operation, limit: 'create-hour' },
      });
    }
    const { policies, ...unlisted } = await running.plane.limit(call);
    for (const hidden of [[], policies.map((one) => ({ ...one, inHeaders: false as const }))]) {
      const { explain = '' } = links.add(call, { ...unlisted, policies: hidden });
      expect(
        openExplainLink(decodeURIComponent(new URL(explain).hash.slice(1)), PEPPERS, Date.now()),
      ).toMatchObject({
        denied: { limit: null },
        origin: { limit: 'create-hour' },
      });
    }
    for (const path of ['/v1/peek', '/v1/limit']) {
      const allowed = await send(path, { ...call, cost: 1 });
      expect(allowed).toMatchObject({ success: true });
      expect(allowed).not.toHaveProperty('explain');
    }
    expect(await (await post('/v1/limit', call)).json()).not.toHaveProperty('explain');
    server.close();
  });

  it('peek charges nothing', async () => {
    for (let i = 0; i < 5; i++) {
      const response = await post('/v1/peek', { ...create, tenant: 'initech' });
      expect(await response.json()).toMatchObject({ success: true, remaining: 3 });
    }
  });

  it('lists effective limits', async () => {
    const response = await fetch(`${running.origin}/v1/limits?tenant=acme&api=url-shortener`, {
      headers: { Authorization: `Bearer ${running.token.token}` },
    });
    expect(await response.json()).toMatchObject({
      tenant: 'acme',
      limits: [
        {
          policy: { name: 'create-hour', limit: 3 },
          summary: expect.stringMatching(/^Up to 3 requests an hour per tenant/),
        },
        { policy: { name: 'delete-hour' } },
      ],
    });
  });

  const remove = { ...create, operation: 'deleteURL' };
  const user = { user: 'u1', ip: '203.0.113.9' };

  it.each<[name: string, body: unknown, status: number, code: string, field: string | undefined]>([
    ['an unknown tenant', { ...create, tenant: 'nobody' }, 404, 'tenant-unknown', undefined],
    ['a tenant that is no name', { ...create, tenant: '{acme}:*' }, 400, 'body-invalid', 'tenant'],
    [
      'a tenant of 1 MB is too much for a body',
      { ...create, tenant: 'a'.repeat(1_000_000) },
      413,
      'body-too-large',
      undefined,
    ],
    ['no tenant', { api: 'url-shortener', operation: 'createURL' }, 400, 'body-invalid', 'tenant'],
    ['cost 0', { ...create, cost: 0 }, 400, 'body-invalid', 'cost'],
    ['a negative cost', { ...create, cost: -1 }, 400, 'body-invalid', 'cost'],
    ['a fractional cost', { ...create, cost: 1.5 }, 400, 'body-invalid', 'cost'],
    ['a cost of 2^53', { ...create, cost: 2 ** 53 }, 400, 'body-invalid', 'cost'],
    [
      'a cost of 1e309',
      '{"tenant":"acme","api":"url-shortener","operation":"createURL","cost":1e309}',
      400,
      'body-invalid',
      'cost',
    ],
    ['a cost in a string', { ...create, cost: '1' }, 400, 'body-invalid', 'cost'],
    ['an unknown field', { ...create, costs: 2 }, 400, 'body-invalid', 'costs'],
    [
      'a __proto__ field',
      '{"tenant":"acme","api":"url-shortener","operation":"createURL","__proto__":{"cost":1}}',
      400,
      'body-invalid',
      '__proto__',
    ],
    [
      'a __proto__ dimension',
      '{"tenant":"acme","api":"url-shortener","operation":"deleteURL","subject":{"__proto__":"x","user":"u","ip":"::1"}}',
      400,
      'body-invalid',
      '__proto__',
    ],
    [
      'a __proto__ dimension in escapes',
      '{"tenant":"acme","api":"url-shortener","operation":"deleteURL","subject":{"\\u005f_\\u0070roto__":"x","user":"u","ip":"::1"}}',
      400,
      'body-invalid',
      '__proto__',
    ],
    [
      'a constructor dimension that is no text',
      { ...remove, subject: { ...user, constructor: {} } },
      400,
      'body-invalid',
      'subject.constructor',
    ],
    [
      'a dimension that is missing',
      { ...remove, subject: { user: 'u1' } },
      400,
      'dimension-missing',
      'subject.ip',
    ],
    ['no subject at all', remove, 400, 'dimension-missing', 'subject.user'],
    [
      'an invalid address',
      { ...remove, subject: { ...user, ip: 'localhost' } },
      400,
      'dimension-invalid',
      'subject.ip',
    ],
    [
      'an empty dimension',
      { ...remove, subject: { ...user, user: '' } },
      400,
      'body-invalid',
      'subject.user',
    ],
    [
      'a dimension of 2,000 characters',
      { ...remove, subject: { ...user, user: 'x'.repeat(2000) } },
      400,
      'body-invalid',
      'subject.user',
    ],
    ['a request id with a line break', { ...create, requestId: 'a\r\nb' }, 400, 'body-invalid', 'requestId'],
    ['an array', [create], 400, 'body-invalid', ''],
    ['null', 'null', 400, 'body-invalid', ''],
    ['no JSON', '{"tenant":', 400, 'body-not-json', undefined],
    ['nothing', '', 400, 'body-not-json', undefined],
    [
      'a duplicate field',
      '{"tenant":"acme","api":"url-shortener","operation":"createURL","tenant":"globex"}',
      400,
      'body-duplicate-field',
      'tenant',
    ],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400, 'body-not-utf8', undefined],
  ])('%s: returns a problem with advice', async (_name, body, status, code, field) => {
    const response = await post('/v1/limit', body);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    const problem = (await response.json()) as { errors?: { field: string; message: string }[] };
    expect(problem).toMatchObject({
      type: `urn:tollgate:problem:${code}`,
      code,
      status,
      title: expect.any(String),
      docs: `/docs/errors/${code}`,
    });
    if (field !== undefined) {
      expect(problem.errors?.map((error) => error.field)).toContain(field);
      for (const error of problem.errors ?? []) expect(error.message.length).toBeGreaterThan(5);
    }
  });

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-8', 200],
  ])('content type %s: %i', async (type, status) => {
    expect(
      (await post('/v1/limit', { ...create, operation: 'listURLs' }, { 'Content-Type': type })).status,
    ).toBe(status);
  });

  it('names the compression of a body that it does not read', async () => {
    const body = gzipSync(JSON.stringify(create));
    const response = await post('/v1/limit', body, { 'Content-Encoding': 'gzip' });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      code: 'content-type-unsupported',
      detail: 'The body is compressed. Send it without Content-Encoding',
    });
    const plain = JSON.stringify({ ...create, operation: 'listURLs' });
    expect((await post('/v1/limit', plain, { 'Content-Encoding': 'identity' })).status).toBe(200);
  });

  it('accepts several spaces after Bearer', async () => {
    const Authorization = `bearer   ${running.token.token}`;
    expect((await post('/v1/limit', { ...create, operation: 'listURLs' }, { Authorization })).status).toBe(
      200,
    );
  });

  it('names the required scope without further details', async () => {
    const answer = async (authorization: string | undefined) => {
      const response = await fetch(`${running.origin}/v1/limit`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: JSON.stringify(create),
      });
      return `${response.status} ${((await response.json()) as { code: string }).code}`;
    };
    expect(await answer(undefined)).toBe('401 token-missing');
    expect(await answer('Basic eDp5')).toBe('401 token-invalid');
    expect(await answer('Bearer tga_live_x')).toBe('401 token-invalid');
    expect(await answer(`Bearer ${issueToken('tga', 'live').token}`)).toBe('401 token-invalid');
    const { token } = running.token;
    const last = token.endsWith('x') ? 'y' : 'x';
    expect(await answer(`Bearer ${token.slice(0, -1)}${last}`)).toBe('401 token-invalid');
    expect(await answer(`Bearer ${expired.token}`)).toBe('401 token-invalid');
    expect(await answer(`Bearer ${otherScope.token}`)).toBe('403 scope-missing');
  });

  it('unknown paths and methods are problems too', async () => {
    expect((await fetch(`${running.origin}/v2/limit`)).status).toBe(404);
    const response = await fetch(`${running.origin}/v1/limit`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect((await fetch(`${running.origin}/readyz`)).status).toBe(200);
  });

  it('a body that grows past the bound without saying its length is refused, and others are served meanwhile', async () => {
    const socket = connect(Number(new URL(running.origin).port), '127.0.0.1');
    socket.write(
      `POST /v1/limit HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${running.token.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    for (let i = 0; i < 8; i++) socket.write(chunk);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
    expect((await post('/v1/peek', create)).status).toBe(200);
  });

  it('prototypes are as they were', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { cost?: number }).cost).toBeUndefined();
  });
});
