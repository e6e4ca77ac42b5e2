import type { AmendAnswer, LimitAnswer } from '@tollgate/contracts';
import { SHORTENER } from '@tollgate/decision-plane/testing';
import { describe, expect, it } from 'vitest';
import { useRunningServer } from './running-server.js';

const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };
const receipt = { tenant: 'acme', requestId: 'r-1' };

const VERBS = [
  '/v1/limit',
  '/v1/peek',
  '/v1/limit/batch',
  '/v1/reserve',
  '/v1/settle',
  '/v1/release',
  '/v1/renew',
  '/v1/refund',
  '/v1/report',
  '/v1/reset',
  '/v1/capacity',
];

describe('the operations of the HTTP API', () => {
  const running = useRunningServer((relay) => ({
    apis: [
      {
        ...SHORTENER,
        pools: [{ name: 'cpu', operations: ['deleteURL'], capacity: 100, reclaimPercent: 80 }],
      },
    ],
    limits: [
      {
        name: 'create-hour',
        api: 'url-shortener',
        operations: ['createURL'],
        per: [],
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit: 100,
        windowMs: 3_600_000,
        alignment: 'first_request',
        charge: 'on_failure',
      },
    ],
    tenants: ['acme', 'globex'].map((key) => relay.tenant(key)),
  }));

  const post = (path: string, body: unknown) =>
    running.post(path, body, { Authorization: `Bearer ${running.adminToken.token}` });
  const answerOf = async <T>(path: string, body: unknown): Promise<T> => {
    const response = await post(path, body);
    expect(response.status, path).toBe(200);
    return (await response.json()) as T;
  };
  const amended = (path: string, body: unknown) => answerOf<AmendAnswer>(path, body);

  it('reserve, settle, refund, report, release and reset take effect once each', async () => {
    const mine = { ...create, tenant: 'globex' };
    const left = async () => (await answerOf<LimitAnswer>('/v1/peek', mine)).remaining;
    const held = { tenant: 'globex', requestId: 'held' };
    const reserved = await answerOf<LimitAnswer>('/v1/reserve', { ...mine, requestId: 'held', cost: 10 });
    expect(reserved).toMatchObject({ success: true, remaining: 90, expiresAt: expect.any(Number) });
    expect(await amended('/v1/renew', held)).toMatchObject({ status: 'applied' });
    expect(await amended('/v1/settle', { ...held, cost: 4 })).toMatchObject({
      status: 'applied',
      returned: 6,
    });
    expect(await amended('/v1/settle', { ...held, cost: 4 })).toMatchObject({ status: 'done', returned: 0 });
    expect(await left()).toBe(96);
    await answerOf('/v1/limit', { ...mine, requestId: 'paid' });
    const paid = { tenant: 'globex', requestId: 'paid', outcome: 'success' };
    expect(await amended('/v1/report', paid)).toMatchObject({ status: 'applied', returned: 1 });
    expect(await amended('/v1/report', paid)).toMatchObject({ status: 'done' });
    expect(await amended('/v1/refund', { ...mine, cost: 3 })).toMatchObject({
      status: 'applied',
      returned: 3,
    });
    expect(await left()).toBe(99);
    await answerOf('/v1/reserve', { ...mine, requestId: 'let-go', cost: 9 });
    expect(await amended('/v1/release', { tenant: 'globex', requestId: 'let-go' })).toMatchObject({
      returned: 9,
    });
    expect(await amended('/v1/release', { tenant: 'globex', requestId: 'unheard-of' })).toMatchObject({
      status: 'not_found',
    });
    expect(await amended('/v1/reset', mine)).toMatchObject({ status: 'applied' });
    expect(await left()).toBe(100);
    const capacity = { api: 'url-shortener', pool: 'cpu', service: 's-1', utilizationPercent: 70 };
    for (const report of [capacity, { ...capacity, coldStart: true }, { ...capacity, coldStart: false }])
      expect(await answerOf('/v1/capacity', report)).toMatchObject({ status: 'applied' });
  });

  it('a batch answers each request independently, in order, with a problem for invalid ones', async () => {
    const requests = [create, { ...create, tenant: 'nobody' }, create];
    const { answers } = await answerOf<{ answers: unknown[] }>('/v1/limit/batch', { requests });
    expect(answers).toMatchObject([{ success: true }, { code: 'tenant-unknown' }, { success: true }]);
  });

  it('reset needs the scope reset, which admin includes', async () => {
    const response = await running.post('/v1/reset', create);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'scope-missing' });
    for (const { token } of [running.resetToken, running.adminToken]) {
      expect((await running.post('/v1/reset', create, { Authorization: `Bearer ${token}` })).status).toBe(
        200,
      );
    }
  });

  const many = (count: number) => ({ requests: Array.from({ length: count }, () => create) });

  it.each<[path: string, name: string, body: unknown, status: number, code: string, field?: string]>([
    ['/v1/limit/batch', 'nothing in it', { requests: [] }, 400, 'body-invalid', 'requests'],
    ['/v1/limit/batch', '1,001 requests', many(1001), 400, 'body-invalid', 'requests'],
    [
      '/v1/limit/batch',
      'one of a cost in a string',
      { requests: [create, { ...create, cost: '1' }] },
      400,
      'body-invalid',
      'requests.1.cost',
    ],
    [
      '/v1/limit/batch',
      '2 MB',
      { requests: [{ ...create, requestId: 'x'.repeat(2_000_000) }] },
      413,
      'body-too-large',
    ],
    [
      '/v1/reserve',
      'an end of 1e309',
      '{"tenant":"acme","api":"url-shortener","operation":"createURL","expiresInMs":1e309}',
      400,
      'body-invalid',
      'expiresInMs',
    ],
    [
      '/v1/reserve',
      'an end within a millisecond',
      { ...create, expiresInMs: 1 },
      400,
      'body-invalid',
      'expiresInMs',
    ],
    [
      '/v1/reserve',
      'an end in two days',
      { ...create, expiresInMs: 172_800_000 },
      400,
      'body-invalid',
      'expiresInMs',
    ],
    ['/v1/reserve', 'a cost of 0', { ...create, cost: 0 }, 400, 'body-invalid', 'cost'],
    ['/v1/settle', 'no cost', receipt, 400, 'body-invalid', 'cost'],
    ['/v1/settle', 'a negative cost', { ...receipt, cost: -1 }, 400, 'body-invalid', 'cost'],
    [
      '/v1/settle',
      'a cost of 1e309',
      '{"tenant":"acme","requestId":"r-1","cost":1e309}',
      400,
      'body-invalid',
      'cost',
    ],
    ['/v1/settle', 'a cost in a string', { ...receipt, cost: '4' }, 400, 'body-invalid', 'cost'],
    [
      '/v1/settle',
      'an invalid overrun',
      { ...receipt, cost: 1, overrun: 'ignore' },
      400,
      'body-invalid',
      'overrun',
    ],
    ['/v1/release', 'no request id', { tenant: 'acme' }, 400, 'body-invalid', 'requestId'],
    [
      '/v1/release',
      'a request id of 129 characters',
      { tenant: 'acme', requestId: 'x'.repeat(129) },
      400,
      'body-invalid',
      'requestId',
    ],
    [
      '/v1/release',
      'a request id with NUL',
      { tenant: 'acme', requestId: 'a\u0000b' },
      400,
      'body-invalid',
      'requestId',
    ],
    [
      '/v1/renew',
      'a lone surrogate',
      { tenant: 'acme', requestId: '\ud800' },
      400,
      'body-invalid',
      'requestId',
    ],
    [
      '/v1/renew',
      'a tenant in braces',
      { tenant: '{acme}', requestId: 'r-1' },
      400,
      'body-invalid',
      'tenant',
    ],
    ['/v1/refund', 'neither an id nor a cost', create, 400, 'body-invalid', 'cost'],
    ['/v1/refund', 'a cost of 0', { ...create, cost: 0 }, 400, 'body-invalid', 'cost'],
    [
      '/v1/refund',
      'both an id and a cost',
      { ...create, ...receipt, cost: 1 },
      400,
      'body-invalid',
      'requestId',
    ],
    ['/v1/refund', 'an unknown field', { ...receipt, reason: 'x' }, 400, 'body-invalid', 'reason'],
    ['/v1/settle', 'an unknown tenant', { ...receipt, tenant: 'nobody', cost: 1 }, 404, 'tenant-unknown'],
    ['/v1/release', 'an unknown tenant', { ...receipt, tenant: 'nobody' }, 404, 'tenant-unknown'],
    ['/v1/refund', 'an unknown tenant', { ...create, tenant: 'nobody', cost: 1 }, 404, 'tenant-unknown'],
    [
      '/v1/refund',
      'an operation that no limit covers',
      { ...create, operation: 'listURLs', cost: 1 },
      404,
      'operation-unlimited',
    ],
    ['/v1/report', 'an invalid outcome', { ...receipt, outcome: 'maybe' }, 400, 'body-invalid', 'outcome'],
    ['/v1/report', 'no outcome', receipt, 400, 'body-invalid', 'outcome'],
    ['/v1/reset', 'a limit in braces', { ...create, limit: '{x}' }, 400, 'body-invalid', 'limit'],
    ['/v1/reset', 'a limit that does not exist', { ...create, limit: 'no-such' }, 404, 'operation-unlimited'],
    ['/v1/reset', 'a cost', { ...create, cost: 1 }, 400, 'body-invalid', 'cost'],
    [
      '/v1/capacity',
      'a pool that does not exist',
      { api: 'url-shortener', pool: 'x', service: 's', utilizationPercent: 1 },
      404,
      'pool-unknown',
    ],
    [
      '/v1/capacity',
      'a negative load',
      { api: 'url-shortener', pool: 'cpu', service: 's', utilizationPercent: -1 },
      400,
      'body-invalid',
      'utilizationPercent',
    ],
    [
      '/v1/capacity',
      'a load of 1e309',
      '{"api":"url-shortener","pool":"cpu","service":"s","utilizationPercent":1e309}',
      400,
      'body-invalid',
      'utilizationPercent',
    ],
    [
      '/v1/capacity',
      'a cold start of 1',
      { api: 'url-shortener', pool: 'cpu', service: 's', utilizationPercent: 1, coldStart: 1 },
      400,
      'body-invalid',
      'coldStart',
    ],
    [
      '/v1/capacity',
      'a load in a string',
      { api: 'url-shortener', pool: 'cpu', service: 's', utilizationPercent: '50' },
      400,
      'body-invalid',
      'utilizationPercent',
    ],
  ])('%s with %s: returns a problem with advice', async (path, _name, body, status, code, field) => {
    const response = await post(path, body);
    const problem = (await response.json()) as { errors?: { field: string; message: string }[] };
    expect({ status: response.status, ...problem }).toMatchObject({ status, code });
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    if (field !== undefined) expect(problem.errors?.map((error) => error.field)).toContain(field);
    if (status === 400)
      for (const error of problem.errors ?? []) expect(error.message.length).toBeGreaterThan(5);
  });

  it.each(VERBS)('%s answers any input with a client problem, never a server error', async (path) => {
    const proto = '{"__proto__":{"tenant":"acme"},"tenant":"acme"}';
    const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    for (const [body, code] of [
      ...['null', '5', '"x"', '[]', '{}', '[[]]', proto, nested].map(
        (text) => [text, 'body-invalid'] as const,
      ),
      ...['NaN', '', '{'].map((text) => [text, 'body-not-json'] as const),
      [new Uint8Array([0xff]), 'body-not-utf8'] as const,
    ]) {
      const response = await post(path, body);
      const text = await response.text();
      expect(response.status, `${String(body).slice(0, 40)}: ${text.slice(0, 200)}`).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ code });
    }
  });
});
