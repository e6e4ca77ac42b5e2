import { describe, expect, it } from 'vitest';
import { responseJsonSchema } from '../src/envoy/json.js';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { useRunningServer } from './running-server.js';

describe('POST /json', () => {
  const running = useRunningServer(rlsPolicy);
  const ask = async (body: unknown) => {
    const response = await running.post('/json', body);
    const answer = (await response.json()) as object;
    // Allowed or denied, a response matches the OpenAPI document.
    if ('overallCode' in answer) responseJsonSchema.parse(answer);
    return { status: response.status, headers: response.headers, body: answer };
  };
  const asking = (tenant: string, operation: string, more: object = {}) => ({
    domain: 'links',
    descriptors: [descriptor({ tenant, operation }, more)],
  });

  it('is 200 with the answer as protobuf writes it in JSON, when all descriptors pass', async () => {
    const { status, body, headers } = await ask(asking('t1', 'create'));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        overallCode: 'OK',
        statuses: [
          {
            code: 'OK',
            currentLimit: { name: 'create', requestsPerUnit: 10, unit: 'HOUR' },
            limitRemaining: 9,
            durationUntilReset: expect.stringMatching(/^\d+(\.\d{3})?s$/),
          },
        ],
        responseHeadersToAdd: expect.arrayContaining([
          { key: 'RateLimit-Policy', value: '"create";q=10;w=3600' },
        ]),
        dynamicMetadata: expect.objectContaining({ domain: 'links', degraded: false }),
      },
    });
    expect(headers.get('ratelimit-policy')).toBe('"create";q=10;w=3600');
  });

  it('is 429 when one descriptor is over its limit, with the body of the refusal in base64', async () => {
    const { status, body } = await ask(asking('t2', 'remove', { hitsAddend: '3' }));
    expect({ status, body }).toMatchObject({
      status: 429,
      body: { overallCode: 'OVER_LIMIT', statuses: [{ code: 'OVER_LIMIT', limitRemaining: 2 }] },
    });
    const { rawBody } = body as { rawBody: string };
    expect(JSON.parse(Buffer.from(rawBody, 'base64').toString())).toMatchObject({
      'violated-policies': ['remove'],
    });
  });

  it('accepts camelCase and snake_case names, numbers as text, and units by name or number', async () => {
    const limits = [
      { limit: { requests_per_unit: 5, unit: 'MINUTE' }, hits_addend: 2 },
      { limit: { requestsPerUnit: '5', unit: 2 }, hitsAddend: '2' },
    ];
    for (const [i, more] of limits.entries()) {
      const { body } = await ask(asking(`t${10 + i}`, 'create', more));
      expect(body).toMatchObject({
        statuses: [{ currentLimit: { requestsPerUnit: 5, unit: 'MINUTE' }, limitRemaining: 3 }],
      });
    }
  });

  it('handles peeks and negative hits as over gRPC', async () => {
    await ask(asking('t20', 'remove', { hitsAddend: 2 }));
    expect((await ask(asking('t20', 'remove', { hitsAddend: 0 }))).status).toBe(429);
    const back = asking('t20', 'remove', { hitsAddend: 1, isNegativeHits: true });
    expect(await ask(back)).toMatchObject({ status: 200, body: { statuses: [{ limitRemaining: 1 }] } });
  });

  it.each<[string, unknown]>([
    ['no JSON', '{'],
    ['an unknown field', { ...asking('t3', 'create'), quota: 1 }],
    ['an empty domain', { ...asking('t3', 'create'), domain: '' }],
    ['no descriptors', { domain: 'links' }],
    ['an unknown unit', asking('t3', 'create', { limit: { requestsPerUnit: 1, unit: 'DECADE' } })],
    ['fractional hits', asking('t3', 'create', { hitsAddend: 1.5 })],
    ['negative hits_addend', asking('t3', 'create', { hitsAddend: -1 })],
  ])('%s is 400', async (_, body) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { code: expect.any(String) } });
  });

  it('without a token is 401', async () => {
    const response = await fetch(`${running.origin}/json`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
  });
});
