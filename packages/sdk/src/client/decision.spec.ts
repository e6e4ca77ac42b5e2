import { expect, it } from 'vitest';
import type { Decision } from './decision.js';
import { retryAdvice } from './decision.js';

const decision = (over: Partial<Decision>) => over as Decision;

it('what may pass runs, after its delay', () => {
  expect(retryAdvice(decision({ success: true, delayMs: 40 }))).toEqual({ kind: 'run', delayMs: 40 });
});

it('a refusal is waited out, never too short, and spread by a tenth', () => {
  const refused = decision({ success: false, retryAfter: 10 });
  expect(retryAdvice(refused, () => 0)).toEqual({ kind: 'wait', waitMs: 10_000 });
  expect(retryAdvice(refused, () => 0.999)).toEqual({ kind: 'wait', waitMs: 10_999 });
});

it('what can never pass is given up', () => {
  expect(retryAdvice(decision({ success: false, retryAfter: null }))).toEqual({ kind: 'give-up' });
});
