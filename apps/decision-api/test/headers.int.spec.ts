import type { LimitPolicy } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { useRunningServer } from './running-server.js';

const limit = (api: string, name: string, over: Partial<LimitPolicy> = {}) =>
  ({
    name,
    api,
    operations: [],
    per: [],
    onUnavailable: 'share',
    algorithm: 'fixed_window',
    limit: 1,
    windowMs: 3_600_000,
    alignment: 'first_request',
    ...over,
  }) as LimitPolicy;

describe('header styles of an API', () => {
  const running = useRunningServer((relay) => ({
    apis: (['old', 'silent', 'plain'] as const).map((key) => ({
      key,
      unknownOperations: key === 'plain' ? 'refuse' : 'allow',
      operations: ['call', 'export'].map((name) => ({ name, cost: 1 })),
      ...(key === 'old' ? { headerStyles: ['draft-3', 'x-ratelimit'] as const satisfies string[] } : {}),
      ...(key === 'silent' ? { headerStyles: [] } : {}),
    })),
    limits: [
      limit('old', 'hour'),
      limit('silent', 'hour'),
      limit('plain', 'hidden', { inHeaders: false }),
      limit('plain', 'shown', { limit: 5 }),
      limit('plain', 'export', { limit: 0, operations: ['export'] }),
    ],
    tenants: [relay.tenant('acme')],
  }));
  const ask = (api: string, operation = 'call', cost = 1) =>
    running.post('/v1/limit?status=http', { tenant: 'acme', api, operation, cost });
  const toldBy = ({ headers }: Response) =>
    [...headers.keys()].filter((name) => /ratelimit|retry/.test(name)).sort();

  it('can be the older triples, with a retry time when denied', async () => {
    const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
    const legacy = names.map((name) => `x-${name}`);
    expect(toldBy(await ask('old'))).toEqual([...names, ...legacy]);
    const refused = await ask('old');
    expect(toldBy(refused)).toEqual([...names, 'retry-after', ...legacy, 'x-ratelimit-retry-after'].sort());
    const { retryAfter } = (await refused.json()) as { retryAfter: number };
    expect(refused.headers.get('retry-after')).toBe(String(retryAfter));
    expect(refused.headers.get('ratelimit-reset')).toBe(String(retryAfter));
  });

  it('can be none, except Retry-After', async () => {
    expect(toldBy(await ask('silent'))).toEqual([]);
    expect(toldBy(await ask('silent'))).toEqual(['retry-after']);
  });

  it('leaves out a limit that is to be kept out, also of the problem, while the answer has it', async () => {
    expect((await ask('plain')).headers.get('ratelimit-policy')).toBe('"shown";q=5;w=3600');
    const refused = await ask('plain');
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      429,
      'application/problem+json; charset=utf-8',
    ]);
    expect(await refused.json()).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      'violated-policies': [],
      detail: expect.stringMatching(/^Rate limit exceeded\. Retry in \d+ s\.$/),
      success: false,
      policy: 'hidden',
    });
  });

  it('explains that a cost above the limit can never be allowed', async () => {
    const refused = await ask('silent', 'call', 2);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    expect(await refused.json()).toMatchObject({
      retryAfter: null,
      detail: 'Rate limit "hour" exceeded: a cost of 2 can never be allowed.',
    });
  });

  it('responds 403 without RateLimit fields to an operation that a limit blocks', async () => {
    const refused = await ask('plain', 'export');
    expect([refused.status, toldBy(refused)]).toEqual([403, []]);
    expect(await refused.json()).toMatchObject({
      ...{ reason: 'BLOCKED', policy: 'export', detail: "The tenant's limits block this operation." },
    });
  });

  it('responds 403 to blocked requests', async () => {
    const refused = await ask('plain', 'other');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ reason: 'BLOCKED', type: 'urn:tollgate:denial:blocked' });
  });
});
