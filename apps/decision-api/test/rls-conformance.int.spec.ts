import { status as STATUS } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { methodOf, type RequestMessage, type ResponseMessage, structOf } from './rls-client.js';
import { descriptor, rlsPolicy } from './rls-policy.js';
import { useRunningRls } from './running-rls.js';

/** A row: title, requests in order, and expected fields of the last response. */
type Row = [sentence: string, asked: (tenant: string) => RequestMessage[], last: object];

const hit = (tenant: string, operation: string, more: object = {}, entries: Record<string, string> = {}) =>
  descriptor({ tenant, operation, ...entries }, more);
const asking = (...descriptors: NonNullable<RequestMessage['descriptors']>): RequestMessage => ({
  domain: 'links',
  descriptors,
});
const of = (value: number) => ({ hits_addend: { value } });

const ROWS: Row[] = [
  [
    'a request within its limit is OK, with the limit, the remaining quota and the reset',
    (t) => [asking(hit(t, 'create'))],
    {
      overall_code: 'OK',
      statuses: [
        {
          code: 'OK',
          current_limit: { requests_per_unit: 10, unit: 'HOUR', name: 'create' },
          limit_remaining: 9,
          duration_until_reset: { seconds: expect.any(Number) },
        },
      ],
    },
  ],
  [
    'statuses follow the order of the descriptors, one each',
    (t) => [asking(hit(t, 'remove'), hit(t, 'free'), hit(t, 'create'))],
    {
      statuses: [
        { current_limit: { name: 'remove' } },
        { current_limit: null },
        { current_limit: { name: 'create' } },
      ],
    },
  ],
  [
    'one denied descriptor makes the response OVER_LIMIT; the others remain OK',
    (t) => [asking(hit(t, 'create'), hit(t, 'remove', of(3)))],
    {
      overall_code: 'OVER_LIMIT',
      statuses: [{ code: 'OK' }, { code: 'OVER_LIMIT' }],
    },
  ],
  [
    'an operation that a limit blocks is OVER_LIMIT without a current limit',
    (t) => [asking(hit(t, 'create'), hit(t, 'closed'))],
    {
      overall_code: 'OVER_LIMIT',
      statuses: [
        { code: 'OK', limit_remaining: 10 },
        { code: 'OVER_LIMIT', current_limit: null },
      ],
    },
  ],
  [
    'a denied request charges none of its descriptors',
    (t) => [asking(hit(t, 'create', of(4)), hit(t, 'remove', of(3))), asking(hit(t, 'create', of(0)))],
    { statuses: [{ limit_remaining: 10 }] },
  ],
  [
    'two descriptors of one counter charge it twice',
    (t) => [asking(hit(t, 'create'), hit(t, 'create'))],
    { statuses: [{ limit_remaining: 8 }, { limit_remaining: 8 }] },
  ],
  [
    'hits_addend of the request counts for each descriptor',
    (t) => [{ ...asking(hit(t, 'create'), hit(t, 'remove')), hits_addend: 2 }],
    { statuses: [{ limit_remaining: 8 }, { limit_remaining: 0 }] },
  ],
  [
    'hits_addend 0 of a request counts as 1',
    (t) => [{ ...asking(hit(t, 'create')), hits_addend: 0 }],
    { statuses: [{ limit_remaining: 9 }] },
  ],
  [
    'without hits_addend, a request costs the cost of its operation',
    (t) => [asking(hit(t, 'spread'))],
    { statuses: [{ limit_remaining: 7 }] },
  ],
  [
    'hits_addend of a descriptor overrides that of the request',
    (t) => [{ ...asking(hit(t, 'create', of(5)), hit(t, 'remove')), hits_addend: 2 }],
    { statuses: [{ limit_remaining: 5 }, { limit_remaining: 0 }] },
  ],
  [
    'hits_addend 0 of a descriptor reads the limit without counting',
    (t) => [asking(hit(t, 'remove', of(0))), asking(hit(t, 'remove', of(0)))],
    { overall_code: 'OK', statuses: [{ code: 'OK', limit_remaining: 2 }] },
  ],
  [
    'hits_addend 0 on an exhausted limit is OVER_LIMIT',
    (t) => [asking(hit(t, 'remove', of(2))), asking(hit(t, 'remove', of(0)))],
    { overall_code: 'OVER_LIMIT', statuses: [{ limit_remaining: 0 }] },
  ],
  [
    'hits_addend 0 on an exhausted limit prevents charging the other descriptors',
    (t) => [
      asking(hit(t, 'remove', of(2))),
      asking(hit(t, 'remove', of(0)), hit(t, 'create')),
      asking(hit(t, 'create', of(0))),
    ],
    { statuses: [{ limit_remaining: 10 }] },
  ],
  [
    'more hits than the limit are denied and not counted',
    (t) => [asking(hit(t, 'create', of(11)))],
    { overall_code: 'OVER_LIMIT', statuses: [{ limit_remaining: 10 }] },
  ],
  [
    'negative hits refund units and are OK',
    (t) => [asking(hit(t, 'create', of(6))), asking(hit(t, 'create', { ...of(4), is_negative_hits: true }))],
    { overall_code: 'OK', statuses: [{ code: 'OK', limit_remaining: 8 }] },
  ],
  [
    'negative hits refund no more than was used',
    (t) => [asking(hit(t, 'create', of(2))), asking(hit(t, 'create', { ...of(9), is_negative_hits: true }))],
    { overall_code: 'OK', statuses: [{ limit_remaining: 10 }] },
  ],
  [
    'negative hits are OK on an exhausted limit, and the refunded units can be used at once',
    (t) => [
      asking(hit(t, 'remove', of(2))),
      asking(hit(t, 'remove')),
      asking(hit(t, 'remove', { ...of(1), is_negative_hits: true })),
      asking(hit(t, 'remove')),
    ],
    { overall_code: 'OK', statuses: [{ limit_remaining: 0 }] },
  ],
  [
    'a limit in the descriptor overrides the configured one',
    (t) => [asking(hit(t, 'create', { limit: { requests_per_unit: 3, unit: 'DAY' } }))],
    {
      statuses: [
        { current_limit: { requests_per_unit: 3, unit: 'DAY', name: 'caller-limit' }, limit_remaining: 2 },
      ],
    },
  ],
  [
    'a limit in the descriptor counts separately from the configured one',
    (t) => [
      asking(hit(t, 'create', { ...of(3), limit: { requests_per_unit: 3, unit: 'HOUR' } })),
      asking(hit(t, 'create')),
    ],
    { statuses: [{ limit_remaining: 9 }] },
  ],
  [
    'a limit in the descriptor skips shadow',
    (t) => [asking(hit(t, 'shadow', { ...of(2), limit: { requests_per_unit: 1, unit: 'YEAR' } }))],
    { overall_code: 'OVER_LIMIT' },
  ],
  [
    'a limit of 0 in the descriptor denies everything',
    (t) => [asking(hit(t, 'create', { limit: { requests_per_unit: 0, unit: 'MONTH' } }))],
    { overall_code: 'OVER_LIMIT', statuses: [{ current_limit: { requests_per_unit: 0, unit: 'MONTH' } }] },
  ],
  [
    'a limit in shadow counts and answers OK',
    (t) => [asking(hit(t, 'shadow')), asking(hit(t, 'shadow'))],
    { overall_code: 'OK', statuses: [{ code: 'OK', limit_remaining: 0 }] },
  ],
  [
    'a descriptor that no limit covers is OK without a limit',
    (t) => [asking(hit(t, 'free'))],
    { overall_code: 'OK', statuses: [{ code: 'OK', current_limit: null, limit_remaining: 0 }] },
  ],
  [
    'a descriptor of an unregistered operation is OK without a limit',
    (t) => [asking(hit(t, 'unheard'))],
    { overall_code: 'OK', statuses: [{ current_limit: null }] },
  ],
  ...(
    [
      ['an unknown tenant', hit('nobody', 'create')],
      ['no tenant', descriptor({ operation: 'create' })],
      ['a malformed tenant', hit('{x}', 'create')],
      ['an unknown key', descriptor({ key: 'tgk_live_none', operation: 'create' })],
      ['a key of 10,000 characters', descriptor({ key: 'x'.repeat(10_000), operation: 'create' })],
      ['an unknown API', hit('acme', 'create', {}, { api: 'nowhere' })],
      ['a malformed API', hit('acme', 'create', {}, { api: '_x' })],
    ] as const
  ).flatMap(([what, asked]): Row[] => [
    [
      `a descriptor with ${what} is OVER_LIMIT`,
      () => [asking(asked)],
      { overall_code: 'OVER_LIMIT', statuses: [{ current_limit: null }], body: { status: 429 } },
    ],
    [
      `a descriptor with ${what} is OK without a limit in a domain that allows unknown callers`,
      () => [{ ...asking(asked), domain: 'open' }],
      { overall_code: 'OK', statuses: [{ current_limit: null }] },
    ],
    [
      `a descriptor with ${what} prevents charging the others`,
      (t) => [asking(hit(t, 'create'), asked), asking(hit(t, 'create'))],
      { statuses: [{ limit_remaining: 9 }] },
    ],
  ]),
  [
    'a domain that is not an API is OVER_LIMIT',
    (t) => [{ domain: 'elsewhere', descriptors: [hit(t, 'create')] }],
    { overall_code: 'OVER_LIMIT', metadata: { descriptors: [{ unmatched: 'api-unknown' }] } },
  ],
  ...(
    [
      ['a name that begins with another character', { operation: '_x' }],
      ['a name of 65 characters', { operation: 'x'.repeat(65) }],
      ['an empty name', { operation: '' }],
      ['no name', {}],
      ['a name that is not registered', { operation: 'invented' }],
    ] as const
  ).map(
    ([what, entries]): Row => [
      `an operation with ${what} counts against the limits of the whole API`,
      (t) => [1, 2].map(() => ({ domain: 'whole', descriptors: [descriptor({ tenant: t, ...entries })] })),
      { overall_code: 'OVER_LIMIT', statuses: [{ current_limit: { name: 'everything' } }] },
    ],
  ),
  [
    'an overlong value has a counter of its own',
    (t) => [
      asking(hit(t, 'list', of(5), { user: `${'x'.repeat(1024)}a` })),
      asking(hit(t, 'list', of(5), { user: `${'x'.repeat(1024)}b` })),
      asking(hit(t, 'list', {}, { user: `${'x'.repeat(1024)}a` })),
    ],
    { overall_code: 'OVER_LIMIT', statuses: [{ current_limit: { name: 'list' }, limit_remaining: 0 }] },
  ],
  [
    'a value of 60 kB in each of ten descriptors is counted',
    (t) => [asking(...Array.from({ length: 10 }, () => hit(t, 'list', {}, { user: 'x'.repeat(60_000) })))],
    { overall_code: 'OVER_LIMIT', body: { 'violated-policies': ['list'] } },
  ],
  [
    'remote_address with a port is the address',
    (t) => [
      asking(hit(t, 'watch', of(5), { remote_address: '192.0.2.1:4711' })),
      asking(hit(t, 'watch', {}, { remote_address: '192.0.2.1:4712' })),
    ],
    { overall_code: 'OVER_LIMIT' },
  ],
  [
    'values that are not addresses share the counter of requests without one',
    (t) => [
      asking(hit(t, 'watch', of(5), { remote_address: 'unix:/a' })),
      asking(hit(t, 'watch', {}, { remote_address: '10.0.0.0/8' })),
    ],
    { overall_code: 'OVER_LIMIT' },
  ],
  [
    'a missing value is OVER_LIMIT where the limit is set to refuse, and charges nothing',
    (t) => [asking(hit(t, 'create'), hit(t, 'list')), asking(hit(t, 'list')), asking(hit(t, 'create'))],
    { statuses: [{ limit_remaining: 9 }] },
  ],
  [
    'says that a value is invalid',
    (t) => [asking(hit(t, 'list'))],
    {
      overall_code: 'OVER_LIMIT',
      body: { type: 'urn:tollgate:denial:uncountable', status: 429 },
      metadata: { descriptors: [{ unmatched: 'dimension-missing' }] },
    },
  ],
  [
    'hits above the maximum cost are OVER_LIMIT, and charge nothing',
    (t) => [asking(hit(t, 'create'), hit(t, 'create', of(1_000_000_001))), asking(hit(t, 'create'))],
    { statuses: [{ limit_remaining: 9 }] },
  ],
  [
    'an API that denies unknown operations returns OVER_LIMIT for them',
    (t) => [{ domain: 'closed', descriptors: [hit(t, 'create')] }],
    { overall_code: 'OVER_LIMIT', statuses: [{ code: 'OVER_LIMIT', current_limit: null }] },
  ],
  ['a suspended tenant is OVER_LIMIT', () => [asking(hit('gone', 'create'))], { overall_code: 'OVER_LIMIT' }],
  [
    'entries other than tenant and operation are dimensions: another user has a separate counter',
    (t) => [asking(hit(t, 'list', of(5), { user: 'u1' })), asking(hit(t, 'list', {}, { user: 'u2' }))],
    { overall_code: 'OK', statuses: [{ limit_remaining: 4 }] },
  ],
  [
    'remote_address is the ip dimension, with IPv6 counted by its /64',
    (t) => [
      asking(hit(t, 'watch', of(5), { remote_address: '2001:db8::1' })),
      asking(hit(t, 'watch', {}, { remote_address: '2001:db8::2' })),
    ],
    { overall_code: 'OVER_LIMIT' },
  ],
  [
    'blank entries are ignored',
    (t) => [asking(hit(t, 'create', {}, { user: '' }))],
    { overall_code: 'OK', statuses: [{ limit_remaining: 9 }] },
  ],
  [
    'generic_key names the operation without an operation entry',
    (t) => [asking(descriptor({ generic_key: 'create', tenant: t }))],
    { statuses: [{ current_limit: { name: 'create' } }] },
  ],
  [
    'a window of a week has the unit WEEK',
    (t) => [asking(hit(t, 'weekly'))],
    { statuses: [{ current_limit: { unit: 'WEEK', requests_per_unit: 1000 } }] },
  ],
  [
    'a window without a matching unit is UNKNOWN and appears in the metadata',
    (t) => [asking(hit(t, 'odd'))],
    { statuses: [{ current_limit: { unit: 'UNKNOWN' } }], metadata: { descriptors: [{ window: 90 }] } },
  ],
  [
    'dynamic metadata contains domain, revision, and limit and reason of each descriptor',
    (t) => [{ ...asking(hit(t, 'create'), hit('nobody', 'create')), domain: 'open' }],
    {
      metadata: {
        domain: 'open',
        revision: 1,
        degraded: false,
        descriptors: [
          { limit: 'create', reason: 'WITHIN_LIMIT', window: 3600 },
          { reason: 'NO_LIMIT', unmatched: 'tenant-unknown' },
        ],
      },
    },
  ],
  [
    'an allowed request has rate-limit headers in its response',
    (t) => [asking(hit(t, 'remove'))],
    {
      headers: {
        'RateLimit-Policy': '"remove";q=2;w=60',
        RateLimit: expect.stringMatching(/^"remove";r=1;t=\d+$/),
      },
    },
  ],
  [
    'a refusal has Retry-After among its response headers, and a body that names the limit',
    (t) => [asking(hit(t, 'remove', of(2))), asking(hit(t, 'remove'))],
    {
      headers: {
        'Retry-After': expect.stringMatching(/^[1-6]?\d$/),
        'Content-Type': 'application/problem+json',
      },
      body: { status: 429, 'violated-policies': ['remove'] },
    },
  ],
  ['an allowed request has no body', (t) => [asking(hit(t, 'create'))], { body: undefined }],
  [
    'descriptors of several tenants are decided together',
    (t) => [asking(hit(t, 'create'), hit('acme', 'create', of(11)))],
    { overall_code: 'OVER_LIMIT', statuses: [{ code: 'OK', limit_remaining: 10 }, { code: 'OVER_LIMIT' }] },
  ],
];

describe('Envoy rate limit service v3', () => {
  const rls = useRunningRls(rlsPolicy, {
    domains: { open: { api: { default: 'links' }, unknownCaller: 'allow' } },
  });
  const seen = (response: ResponseMessage) => ({
    ...response,
    metadata: structOf(response.dynamic_metadata),
    headers: Object.fromEntries(response.response_headers_to_add.map(({ key, value }) => [key, value])),
    body: response.raw_body.length === 0 ? undefined : JSON.parse(response.raw_body.toString()),
  });

  it.each(ROWS.map((row, i) => [row[0], row, `t${i}`] as const))('%s', async (_, [, asked, last], tenant) => {
    let response: ResponseMessage | undefined;
    for (const request of asked(tenant)) response = await rls.client.ask(request);
    expect(seen(response as ResponseMessage)).toMatchObject(last);
  });

  const ok = descriptor({ tenant: 'acme', operation: 'create' });
  it.each<[string, RequestMessage, string]>([
    ['an empty domain is an error', { domain: '', descriptors: [ok] }, 'domain'],
    ['no descriptors are an error', { domain: 'links', descriptors: [] }, 'descriptors'],
    ['a descriptor without entries is an error', asking({ entries: [] }), 'descriptors.0.entries'],
    ['an entry without a key is an error', asking(descriptor({ '': 'x' })), 'descriptors.0.entries'],
    [
      'an override without a unit is an error',
      asking(
        ok,
        descriptor({ tenant: 'acme', operation: 'create' }, { limit: { requests_per_unit: 1, unit: 0 } }),
      ),
      'descriptors.1.limit.unit',
    ],
    [
      'WEEK is no unit of an override',
      asking(
        descriptor({ tenant: 'acme', operation: 'create' }, { limit: { requests_per_unit: 1, unit: 7 } }),
      ),
      'descriptors.0.limit.unit',
    ],
    ['101 descriptors are an error', asking(...Array.from({ length: 101 }, () => ok)), 'descriptors'],
  ])('%s: INVALID_ARGUMENT, which names the field', async (_, request, field) => {
    await expect(rls.client.ask(request)).rejects.toMatchObject({
      code: STATUS.INVALID_ARGUMENT,
      details: expect.stringContaining(field),
    });
  });

  it('counts a value that is not UTF-8, as Envoy copies it from a header', async () => {
    const spent = 'u\u00ff';
    const latin1 = (request: RequestMessage) => {
      const bytes = methodOf(
        'envoy.service.ratelimit.v3.RateLimitService',
        'ShouldRateLimit',
      ).requestSerialize(request);
      const at = bytes.indexOf(Buffer.from(spent));
      // `ÿ` of ISO 8859-1, and a character, instead of the two bytes of UTF-8.
      bytes.set([0xff, 0x21], at + 1);
      return bytes;
    };
    const codes: string[] = [];
    for (let i = 0; i < 6; i++) {
      const message = latin1(asking(hit('t98', 'list', {}, { user: spent })));
      codes.push((await rls.client.askBytes(message)).overall_code);
    }
    expect(codes).toEqual(['OK', 'OK', 'OK', 'OK', 'OK', 'OVER_LIMIT']);
  });

  it('describes each response by its own metadata, though equal ones are shared', async () => {
    const asked = [
      ['links', 'create'],
      ['links', 'weekly'],
      ['open', 'weekly'],
      ['links', 'create'],
    ] as const;
    for (const [domain, operation] of asked) {
      const response = await rls.client.ask({ domain, descriptors: [hit('t97', operation)] });
      expect(structOf(response.dynamic_metadata)).toMatchObject({
        domain,
        descriptors: [{ limit: operation, window: operation === 'weekly' ? 7 * 86_400 : 3600 }],
      });
    }
  });

  it('requests without a counted dimension share one counter', async () => {
    const left = async (entries: Record<string, string>) => {
      const answer = await rls.client.ask(
        asking(descriptor({ tenant: 't99', operation: 'watch', ...entries })),
      );
      return answer.statuses[0]?.limit_remaining;
    };
    expect(await left({})).toBe(4);
    expect(await left({ remote_address: '192.0.2.1' })).toBe(4);
    expect(await left({})).toBe(3);
  });

  it.each([
    ['no token', '', STATUS.UNAUTHENTICATED],
    ['an invalid token', 'Bearer tga_live_nonsense', STATUS.UNAUTHENTICATED],
    ['another scheme', 'Basic YTpi', STATUS.UNAUTHENTICATED],
  ])('%s is UNAUTHENTICATED', async (_, authorization, code) => {
    await expect(rls.client.ask(asking(ok), rls.client.metadata(authorization))).rejects.toMatchObject({
      code,
    });
  });
});
