import type { LimitAnswer, LimitPolicy, Problem, TenantLimits, TenantRecord } from '@tollgate/contracts';
import { hashToken, type IssuedToken, issueToken } from '@tollgate/contracts/service-token';
import { eventually } from '@tollgate/test-kit';
import { describe, expect, it } from 'vitest';
import { PEPPERS, useRunningServer } from './running-server.js';

type KeyRecord = NonNullable<TenantRecord['keys']>[number];

const perKey: LimitPolicy = {
  name: 'per-key',
  api: 'url-shortener',
  operations: [],
  per: ['key'],
  algorithm: 'fixed_window',
  alignment: 'first_request',
  limit: 3,
  windowMs: 86_400_000,
  onUnavailable: 'deny',
};

const first = issueToken('tgk', 'live');
const second = issueToken('tgk', 'test');
const scoped = issueToken('tgk', 'live');
const others = issueToken('tgk', 'live');
const CALL = { api: 'url-shortener', operation: 'createURL' };

const keyOf = ({ token, publicId }: IssuedToken, over: Partial<KeyRecord> = {}, pepper = 1): KeyRecord => ({
  publicId,
  secrets: [{ hash: hashToken(token, PEPPERS.get(pepper) ?? ''), ...(pepper === 1 ? {} : { pepper }) }],
  ...over,
});

const running = useRunningServer((relay) => ({
  limits: [perKey],
  tenants: [
    relay.tenant('acme', {
      keys: [keyOf(first), keyOf(second, {}, 2), keyOf(scoped, { scopes: ['url-shortener/deleteURL'] })],
    }),
    relay.tenant('globex', { keys: [keyOf(others)] }),
  ],
}));

async function answerOf<T>(path: string, body: object): Promise<T> {
  return (await (await running.post(path, body)).json()) as T;
}

/** Puts new keys of acme into force. */
async function publishKeys(keys: KeyRecord[]): Promise<void> {
  const revision = await running.relay.publishTenants([running.relay.tenant('acme', { keys })]);
  await eventually(() => running.plane.revision === revision);
}

function ownLimits(headers: Record<string, string>, query = 'api=url-shortener'): Promise<Response> {
  return fetch(`${running.origin}/v1/limits?${query}`, { headers });
}

describe('a key in place of the tenant', () => {
  it('decides for its tenant and counts under its public id, regardless of the name in the request', async () => {
    const left = async (key: IssuedToken) => {
      const body = { key: key.token, ...CALL, subject: { key: 'mine' } };
      return (await answerOf<LimitAnswer>('/v1/limit', body)).remaining;
    };
    expect([await left(first), await left(first), await left(second)]).toEqual([2, 1, 2]);
    const named = { tenant: 'acme', ...CALL, subject: { key: first.publicId } };
    expect(await answerOf<LimitAnswer>('/v1/peek', named)).toMatchObject({ remaining: 1 });
    expect(await left(others)).toBe(2);
  });

  it('works with every verb', async () => {
    const call = { key: others.token, ...CALL };
    const receipt = { key: others.token, requestId: 'r1' };
    expect(await answerOf('/v1/reserve', { ...call, requestId: 'r1' })).toMatchObject({ success: true });
    expect(await answerOf('/v1/renew', receipt)).toMatchObject({ status: 'applied' });
    expect(await answerOf('/v1/settle', { ...receipt, cost: 1 })).toMatchObject({ status: 'applied' });
    expect(await answerOf('/v1/release', receipt)).toMatchObject({ status: 'done' });
    expect(await answerOf('/v1/report', { ...receipt, outcome: 'success' })).toMatchObject({
      status: 'done',
    });
    expect(await answerOf('/v1/refund', receipt)).toMatchObject({ status: 'done' });
    expect(await answerOf('/v1/refund', { ...call, cost: 1 })).toMatchObject({
      status: 'applied',
      returned: 1,
    });
  });

  it('among the requests of a batch', async () => {
    const { answers } = await answerOf<{ answers: (LimitAnswer | Problem)[] }>('/v1/limit/batch', {
      requests: [
        { key: others.token, ...CALL },
        { key: 'tgk_live_junk', ...CALL },
        { tenant: 'nobody', ...CALL },
      ],
    });
    expect(answers).toMatchObject([{ success: true }, { code: 'key-invalid' }, { code: 'tenant-unknown' }]);
  });
});

describe('a body', () => {
  it.each([
    ['with tenant and key', { tenant: 'acme', key: first.token, ...CALL }, 'key'],
    ['with a key that is no text', { key: 7, ...CALL }, 'key'],
    ['with a key and another mistake', { key: first.token, ...CALL, cost: 0 }, 'cost'],
    ['with neither', CALL, 'tenant'],
  ])('rejects %s and names the field', async (_, body, field) => {
    const problem = await answerOf<Problem>('/v1/limit', body);
    expect(problem).toMatchObject({ code: 'body-invalid', errors: [{ field }] });
  });

  it('names the request of a batch with an invalid key', async () => {
    const problem = await answerOf<Problem>('/v1/limit/batch', {
      requests: [
        { tenant: 'acme', ...CALL },
        { tenant: 'acme', key: first.token, ...CALL },
      ],
    });
    expect(problem.errors).toMatchObject([{ field: 'requests.1.key' }]);
  });
});

describe('a key that may not', () => {
  it('is answered 401 as any other that does not work', async () => {
    for (const key of ['', 'junk', issueToken('tgk', 'live').token, running.token.token]) {
      const response = await running.post('/v1/limit', { key, ...CALL });
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="tollgate"');
      expect([response.status, await response.json()]).toEqual([
        401,
        expect.objectContaining({ code: 'key-invalid', retryable: false }),
      ]);
    }
  });

  it('is answered 403 outside of its scopes', async () => {
    expect(await answerOf('/v1/limit', { key: scoped.token, ...CALL })).toMatchObject({
      code: 'key-scope-missing',
      detail: 'This key may not be used for url-shortener/createURL',
    });
    const other = { key: scoped.token, api: 'url-shortener', operation: 'deleteURL' };
    expect(await answerOf('/v1/limit', other)).toMatchObject({ success: true });
  });

  it('stops at the moment at which the record without it is in force, also where it was in use', async () => {
    const call = { key: first.token, ...CALL };
    expect(await answerOf('/v1/peek', call)).toMatchObject({ policy: 'per-key' });
    await publishKeys([keyOf(second, {}, 2)]);
    expect(await answerOf('/v1/peek', call)).toMatchObject({ code: 'key-invalid' });
    await publishKeys([
      keyOf(first),
      keyOf(second, {}, 2),
      keyOf(scoped, { scopes: ['url-shortener/deleteURL'] }),
    ]);
    expect(await answerOf('/v1/peek', call)).toMatchObject({ policy: 'per-key' });
  });
});

describe('a caller with an API key', () => {
  it.each([
    ['as a bearer token', { Authorization: `Bearer ${others.token}` }],
    ['as X-API-Key', { 'X-API-Key': others.token }],
    ['after several spaces', { Authorization: `Bearer   ${others.token}` }],
    ['beside an empty X-API-Key', { 'X-API-Key': '', Authorization: `Bearer ${others.token}` }],
  ])('reads its own limits, %s', async (_, headers) => {
    const limits = (await (await ownLimits(headers)).json()) as TenantLimits;
    expect(limits).toMatchObject({ tenant: 'globex', limits: [{ policy: { name: 'per-key' } }] });
  });

  it('cannot read limits of other tenants or outside its scopes', async () => {
    const headers = { 'X-API-Key': others.token };
    expect((await ownLimits(headers, 'tenant=acme&api=url-shortener')).status).toBe(400);
    expect((await ownLimits({ 'X-API-Key': scoped.token }, 'api=other')).status).toBe(403);
    expect((await ownLimits({ 'X-API-Key': scoped.token })).status).toBe(200);
    expect((await ownLimits({ 'X-API-Key': 'junk' })).status).toBe(401);
  });

  it('may not ask for decisions: that is for services', async () => {
    const response = await running.post(
      '/v1/limit',
      { tenant: 'globex', ...CALL },
      { Authorization: `Bearer ${others.token}` },
    );
    expect([response.status, ((await response.json()) as Problem).code]).toEqual([401, 'token-invalid']);
  });
});
