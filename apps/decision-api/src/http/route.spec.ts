import { type LimitAnswer } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { withSpreadRetry } from './route.js';

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
