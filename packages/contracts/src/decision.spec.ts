import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_COST } from './countable.js';
import { isLimitBatch, isLimitRequest, limitBatchSchema, limitRequestSchema } from './decision.js';

const sound = fc.record(
  {
    tenant: fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/),
    api: fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/),
    operation: fc.stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/),
    subject: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,31}$/), fc.string({ minLength: 1 }), {
      maxKeys: 17,
    }),
    requestId: fc.stringMatching(/^[\x21-\x7e]{1,128}$/),
    cost: fc.integer({ min: 1, max: MAX_COST }),
  },
  { requiredKeys: ['tenant', 'api', 'operation'] },
);

/** Invalid and borderline values of fields. */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '-', 'a-', 'Ä', 'a\n', 'tenant', 'x'.repeat(49), 'x'.repeat(65), 'y'.repeat(1025)),
  fc.constantFrom<unknown>(0, -0, 1.5, MAX_COST, MAX_COST + 1, -1, 1e300, null, [], {}, { Upper: 'a' }),
  fc.constantFrom<unknown>({ ip: '' }, { ip: 1 }, { tenant: 'a' }, ['a'], { constructor: 'a' }),
);

const FIELDS = [
  'tenant',
  'api',
  'operation',
  'subject',
  'requestId',
  'cost',
  'extra',
  'constructor',
] as const;

/** A sound request, one field of which may be changed, added or missing; or no request at all. */
const body = fc.oneof(
  { weight: 8, arbitrary: sound },
  {
    weight: 8,
    arbitrary: fc
      .tuple(sound, fc.constantFrom(...FIELDS), odd)
      .map(([request, field, value]) => ({ ...request, [field]: value })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(sound, fc.constantFrom(...FIELDS))
      .map(([request, left]) =>
        Object.fromEntries(Object.entries(request).filter(([field]) => field !== left)),
      ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** Converts to a JSON value, as a request body has it. */
const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the quick checks of requests', () => {
  it('isLimitRequest accepts the same values as the schema', () => {
    fc.assert(
      fc.property(body.map(asSent), (value) => {
        const parsed = limitRequestSchema.safeParse(value);
        expect(isLimitRequest(value)).toBe(parsed.success);
        if (parsed.success) expect(parsed.data).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });

  it('isLimitBatch accepts exactly the batches that the schema accepts', () => {
    const batch = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ requests: fc.array(fc.oneof({ weight: 9, arbitrary: sound }, body)) }),
      },
      { weight: 1, arbitrary: fc.record({ requests: fc.array(sound), extra: fc.jsonValue() }) },
      { weight: 1, arbitrary: fc.jsonValue() },
    );
    fc.assert(
      fc.property(batch.map(asSent), (value) => {
        expect(isLimitBatch(value)).toBe(limitBatchSchema.safeParse(value).success);
      }),
    );
    const requests = Array.from({ length: 1001 }, () => ({ tenant: 'acme', api: 'a', operation: 'call' }));
    expect(isLimitBatch({ requests })).toBe(false);
    expect(isLimitBatch({ requests: requests.slice(1) })).toBe(true);
  });
});
