import { describe, expect, it } from 'vitest';
import { LIMIT, PUBLISH, SAVE_DRAFT, versionOf } from '../support/policy-factory.js';
import type { TestApp } from '../support/test-app.js';

const GCRA = { ...LIMIT, algorithm: 'GCRA', burst: 3 };
const TIMELESS = { ...LIMIT, windowMs: null };
const QUOTA = { ...TIMELESS, algorithm: 'QUOTA', period: 'DAY' };
const PERMITS = { ...TIMELESS, algorithm: 'CONCURRENCY', leaseMs: 1000 };
const LOG = { ...LIMIT, algorithm: 'SLIDING_WINDOW_LOG' };
const COUNTER = { ...LIMIT, algorithm: 'SLIDING_WINDOW_COUNTER', buckets: 60 };
const BUCKET = { ...LIMIT, algorithm: 'TOKEN_BUCKET', capacity: 10 };
const QUEUE = { ...LIMIT, algorithm: 'LEAKY_BUCKET', queue: 5 };
const soft = (percent: number) => ({ ...LIMIT, throttle: { mode: 'SOFT', percent } });
const elastic = (maxPercent: number, pool: string) => ({
  ...LIMIT,
  throttle: { mode: 'ELASTIC', maxPercent, pool },
});

/** Invalid limits are rejected at their field, before they are stored. */
export function describeBadDrafts(app: () => TestApp): void {
  describe('a draft with an invalid limit', () => {
    it.each([
      ['window 0', { ...LIMIT, windowMs: 0 }, 'windowMs', 'INVALID'],
      ['a window of 400 days', { ...LIMIT, windowMs: 400 * 86_400_000 }, 'windowMs', 'INVALID'],
      ['burst on a fixed window', { ...LIMIT, burst: 3 }, 'burst', 'INVALID'],
      ['alignment on GCRA', { ...GCRA, alignment: 'CLOCK' }, 'alignment', 'INVALID'],
      ['a spacing below a microsecond', { ...GCRA, limit: 10_000_000, windowMs: 1 }, 'limit', 'INVALID'],
      ['an unknown API', { ...LIMIT, apiKey: 'nowhere' }, 'apiKey', 'NOT_FOUND'],
      ['an API key of another alphabet', { ...LIMIT, apiKey: 'Shop\u0007' }, 'apiKey', 'INVALID'],
      ['an unknown operation', { ...LIMIT, operations: ['buy', 'steal'] }, 'operations.1', 'NOT_FOUND'],
      ['an operation named twice', { ...LIMIT, operations: ['buy', 'buy'] }, 'operations.1', 'INVALID'],
      ['operation __proto__', { ...LIMIT, operations: ['__proto__'] }, 'operations.0', 'INVALID'],
      ['dimension tenant', { ...LIMIT, per: ['tenant'] }, 'per.0', 'INVALID'],
      ['dimension __proto__', { ...LIMIT, per: ['__proto__'] }, 'per.0', 'INVALID'],
      ['a dimension named twice', { ...LIMIT, per: ['ip', 'ip'] }, 'per', 'INVALID'],
      ['five dimensions', { ...LIMIT, per: ['a', 'b', 'c', 'd', 'e'] }, 'per', 'INVALID'],
      ['an empty name', { ...LIMIT, name: '' }, 'name', 'INVALID'],
      ['a name with a colon', { ...LIMIT, name: 'a:b' }, 'name', 'INVALID'],
      ['no window', TIMELESS, 'windowMs', 'INVALID'],
      ['a window on a quota', { ...QUOTA, windowMs: 1000 }, 'windowMs', 'INVALID'],
      ['a quota without a period', { ...QUOTA, period: null }, 'period', 'INVALID'],
      ['a period on a fixed window', { ...LIMIT, period: 'DAY' }, 'period', 'INVALID'],
      ['permits without a lease', { ...PERMITS, leaseMs: null }, 'leaseMs', 'INVALID'],
      ['permits held for two days', { ...PERMITS, leaseMs: 2 * 86_400_000 }, 'leaseMs', 'INVALID'],
      ['more permits than a key holds', { ...PERMITS, limit: 10_001 }, 'limit', 'INVALID'],
      ['a log of more than it keeps', { ...LOG, limit: 10_001 }, 'limit', 'INVALID'],
      ['no part of a window', { ...COUNTER, buckets: 0 }, 'buckets', 'INVALID'],
      ['121 parts of a window', { ...COUNTER, buckets: 121 }, 'buckets', 'INVALID'],
      ['a counter without parts', { ...COUNTER, buckets: null }, 'buckets', 'INVALID'],
      ['an empty bucket', { ...BUCKET, capacity: 0 }, 'capacity', 'INVALID'],
      ['a capacity on a log', { ...LOG, capacity: 5 }, 'capacity', 'INVALID'],
      ['a leaky bucket without a queue', { ...QUEUE, queue: null }, 'queue', 'INVALID'],
      ['a soft limit of 0 %', soft(0), 'throttle.percent', 'INVALID'],
      ['a soft band in which nothing fits', soft(5), 'throttle.percent', 'INVALID'],
      [
        'a soft limit without percent',
        { ...LIMIT, throttle: { mode: 'SOFT' } },
        'throttle.percent',
        'INVALID',
      ],
      [
        'percent on a hard limit',
        { ...LIMIT, throttle: { mode: 'HARD', percent: 5 } },
        'throttle.percent',
        'INVALID',
      ],
      ['a pool that is not there', elastic(100, 'nowhere'), 'throttle.pool', 'NOT_FOUND'],
      ['a pool of another alphabet', elastic(100, 'No:Pool'), 'throttle.pool', 'INVALID'],
      ['a pool and 0 %', elastic(0, 'spare'), 'throttle.maxPercent', 'INVALID'],
      [
        'a wait of more than a minute',
        { ...GCRA, throttle: { mode: 'QUEUE', maxDelayMs: 60_001 } },
        'throttle.maxDelayMs',
        'INVALID',
      ],
      [
        'enforcement for 100 %',
        { ...LIMIT, enforcement: { mode: 'PERCENT', percent: 100 } },
        'enforcement.percent',
        'INVALID',
      ],
      [
        'percent on a shadow',
        { ...LIMIT, enforcement: { mode: 'SHADOW', percent: 5 } },
        'enforcement.percent',
        'INVALID',
      ],
      [
        'leases of a moment',
        { ...LIMIT, consistency: { mode: 'LEASED', leaseMs: 99 } },
        'consistency.leaseMs',
        'INVALID',
      ],
      [
        'a candidate that cannot be',
        { ...LIMIT, candidate: { algorithm: 'GCRA', limit: 0, windowMs: 1000 } },
        'candidate.limit',
        'INVALID',
      ],
      [
        'a candidate with fields of another algorithm',
        { ...LIMIT, candidate: { algorithm: 'GCRA', limit: 1, windowMs: 1000, period: 'DAY' } },
        'candidate.period',
        'INVALID',
      ],
      ['global after another dimension', { ...LIMIT, per: ['ip', 'global'] }, 'per', 'INVALID'],
      ['a name that breaks a header', { ...LIMIT, name: 'a"\r\nX: 1' }, 'name', 'INVALID'],
    ])('(%s) is rejected with the path to the field', async (_name, limit, field, code) => {
      const { data, errors } = await save([LIMIT, limit]);
      expect(errors).toEqual([]);
      const found = data.tierDraftSave.userErrors.map((error: { code: string; field: string[] }) => ({
        code: error.code,
        field: error.field.join('.'),
      }));
      expect(found).toContainEqual({ code, field: `limits.1.${field}` });
      expect(data.tierDraftSave.tier.draft).toBeNull();
    });

    it.each([
      ['2^53', 9_007_199_254_740_992],
      ['a fraction', 1.5],
      ['a negative number', -1],
      ['a number beyond all bounds', 1e308],
      ['a text', '10'],
      ['a truth value', true],
    ])('(%s as limit) is rejected by its type', async (_name, limit) => {
      const { errors } = await save([{ ...LIMIT, limit } as never]);
      expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
      expect(errors[0]?.message).toMatch(/SafeInt must be a whole number from 0 to 9007199254740991/);
    });

    it('(2^53 + 1 in the document) is rejected, not rounded', async () => {
      const { errors } =
        await app().graphql(`mutation { tierDraftSave(input: { tierKey: "basic", expectedVersion: 3,
        limits: [{ name: "x", apiKey: "shop", algorithm: GCRA, limit: 9007199254740993, windowMs: 1 }] }) { tier { id } } }`);
      expect(errors[0]?.message).toMatch(/9007199254740993/);
    });

    it('(two of one name) is rejected; the same name in another API is accepted', async () => {
      await app().graphql('mutation { apiCreate(input: { key: "bank", name: "Bank" }) { api { id } } }');
      const twice = await save([LIMIT, { ...LIMIT }]);
      expect(twice.data.tierDraftSave.userErrors).toMatchObject([
        { code: 'TAKEN', field: ['limits', '1', 'name'] },
      ]);
      const elsewhere = await save([LIMIT, { ...LIMIT, apiKey: 'bank' }]);
      expect(elsewhere.data.tierDraftSave.userErrors).toEqual([]);
      await discard();
    });

    it('(seventeen limits on one operation) is rejected; sixteen are accepted', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ...LIMIT, name: `l${i}` }));
      expect((await save(many(17))).data.tierDraftSave.userErrors).toMatchObject([
        { code: 'INVALID', field: ['limits'] },
      ]);
      expect((await save(many(16))).data.tierDraftSave.userErrors).toEqual([]);
      await discard();
    });

    it('(none at all) can be saved but not published', async () => {
      expect((await save([])).data.tierDraftSave.userErrors).toEqual([]);
      const input = { tierKey: 'basic', expectedVersion: await versionOf(app(), 'tier', 'basic') };
      const { data } = await app().graphql(PUBLISH, { input });
      expect(data.tierPublish.userErrors).toMatchObject([{ code: 'NOTHING_TO_PUBLISH' }]);
      await discard();
    });
  });

  async function save(limits: object[]) {
    const input = { tierKey: 'basic', expectedVersion: await versionOf(app(), 'tier', 'basic'), limits };
    return app().graphql(SAVE_DRAFT, { input });
  }

  async function discard(): Promise<void> {
    const expectedVersion = await versionOf(app(), 'tier', 'basic');
    const query =
      'mutation($input: TierDraftDiscardInput!) { tierDraftDiscard(input: $input) { userErrors { code } } }';
    const { data } = await app().graphql(query, { input: { tierKey: 'basic', expectedVersion } });
    expect(data.tierDraftDiscard.userErrors).toEqual([]);
  }
}
