import { expect, it } from 'vitest';
import { type Decision, retryAdvice } from './decision.js';

const decision = (over: Partial<Decision>) => over as Decision;

it('an allowed request runs after its delay', () => {
  expect(retryAdvice(decision({ success: true, delayMs: 40 }))).toEqual({ kind: 'run', delayMs: 40 });
});

it('a denied request waits at least retryAfter, plus up to a tenth', () => {
  const refused = decision({ success: false, retryAfter: 10 });
  expect(retryAdvice(refused, () => 0)).toEqual({ kind: 'wait', waitMs: 10_000 });
  expect(retryAdvice(refused, () => 0.999)).toEqual({ kind: 'wait', waitMs: 10_999 });
});

it('a request that can never be allowed is not retried', () => {
  expect(retryAdvice(decision({ success: false, retryAfter: null }))).toEqual({ kind: 'give-up' });
});
