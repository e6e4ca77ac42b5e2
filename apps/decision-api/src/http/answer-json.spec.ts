import { ADJUSTMENT_SOURCES, type LimitAnswer, type PolicyResult, REASONS } from '@tollgate/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerJson } from './answer-json.js';

const integer = fc.maxSafeInteger();
const text = fc.string({ unit: 'binary', maxLength: 20 });

const policy: fc.Arbitrary<PolicyResult> = fc.record(
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

// A member that answers get anew has to be named here, and is missed below until it is written.
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

it('an answer is written as JSON.stringify writes it, whatever it holds', () => {
  fc.assert(
    fc.property(answer, (one) => {
      expect(answerJson(one)).toBe(JSON.stringify(one));
    }),
  );
});
