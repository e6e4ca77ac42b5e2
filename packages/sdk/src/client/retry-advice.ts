import type { Decision } from './decision.js';

/** What to do with a request after its decision. */
export type RetryAdvice =
  /** Run it: now, or in `delayMs` where a queue paces it. */
  | { kind: 'run'; delayMs: number }
  /** Ask again after `waitMs`. */
  | { kind: 'wait'; waitMs: number }
  /** Do not ask again: no waiting lets it pass. */
  | { kind: 'give-up' };

/** The part of a wait by which retries are spread, so that those who wait for the same reset do not come back as one. */
const SPREAD = 0.1;

/**
 * What to do next, by a decision. A wait is `retryAfter` and up to a tenth of it more, so never too early.
 * @param random 0 up to 1
 */
export function retryAdvice(decision: Decision, random: () => number = Math.random): RetryAdvice {
  if (decision.success) return { kind: 'run', delayMs: decision.delayMs };
  if (decision.retryAfter === null) return { kind: 'give-up' };
  const waitMs = Math.max(decision.retryAfter * 1000, 50);
  return { kind: 'wait', waitMs: Math.round(waitMs * (1 + SPREAD * random())) };
}
