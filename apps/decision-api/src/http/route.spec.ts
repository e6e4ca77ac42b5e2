import { ADJUSTMENT_SOURCES, type LimitAnswer, type LimitResult, REASONS } from '@tollgate/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerJson, withSpreadRetry } from './route.js';

const retryOf = (retryAfter: number | null, requestId = 'r') =>
  withSpreadRetry({ retryAfter, requestId } as LimitAnswer).retryAfter;
const manyRetries = (retryAfter: number) =>
  Array.from({ length: 2000 }, (_, i) => retryOf(retryAfter, `req_${i}`) as number);

describe('spread of retryAfter', () => {
  it('adds up to a tenth of the wait, at most 30 seconds, and never shortens it', () => {
    for (const [wait, most] of [
      [60, 66],
      [3600, 3630],
    ] as const) {
      const all = manyRetries(wait);
      expect(Math.min(...all)).toBe(wait);
      expect(Math.max(...all)).toBe(most);
      expect(new Set(all).size).toBe(most - wait + 1);
    }
  });

  it('is the same for a repeated request', () => {
    expect(retryOf(3600, 'again')).toBe(retryOf(3600, 'again'));
  });

  it('does not change waits below ten seconds or null', () => {
    expect([retryOf(0), retryOf(9), retryOf(null)]).toEqual([0, 9, null]);
  });
});

const integer = fc.maxSafeInteger();
const text = fc.string({ unit: 'binary', maxLength: 20 });

const policy: fc.Arbitrary<LimitResult> = fc.record(
  {
    name: text,
    limit: integer,
    remaining: integer,
    reset: integer,
    window: fc.double({ noNaN: true, noDefaultInfinity: true }),
    mode: fc.constantFrom('enforce', 'shadow', 'candidate'),
    success: fc.boolean(),
    inHeaders: fc.constant(false),
  },
  { requiredKeys: ['name', 'limit', 'remaining', 'reset', 'window', 'mode', 'success'] },
);

// A new member of LimitAnswer must be added here; the test then fails until `answerJson` writes it.
const answer: fc.Arbitrary<Required<LimitAnswer>> = fc.record({
  success: fc.boolean(),
  policy: fc.option(text),
  limit: fc.option(integer),
  remaining: fc.option(integer),
  used: fc.option(integer),
  reset: fc.option(integer),
  retryAfter: fc.option(integer),
  cost: integer,
  reason: fc.constantFrom(...REASONS),
  source: fc.option(fc.constantFrom('default' as const, 'tier' as const, ...ADJUSTMENT_SOURCES)),
  policies: fc.array(policy, { maxLength: 3 }),
  delayMs: integer,
  degraded: fc.boolean(),
  revision: integer,
  requestId: text,
});

it('writes any answer exactly as JSON.stringify does', () => {
  fc.assert(
    fc.property(answer, (one) => {
      expect(answerJson(one)).toBe(JSON.stringify(one));
    }),
  );
});
