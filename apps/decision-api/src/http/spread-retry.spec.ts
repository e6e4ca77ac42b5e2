import type { LimitAnswer } from '@tollgate/contracts';
import { describe, expect, it } from 'vitest';
import { withSpreadRetry } from './spread-retry.js';

const told = (retryAfter: number | null, requestId = 'r') =>
  withSpreadRetry({ retryAfter, requestId } as LimitAnswer).retryAfter;
const toldOfMany = (retryAfter: number) =>
  Array.from({ length: 2000 }, (_, i) => told(retryAfter, `req_${i}`) as number);

describe('when to come back', () => {
  it('is spread over a tenth of the wait, half a minute at most, and never sooner', () => {
    for (const [wait, most] of [
      [60, 66],
      [3600, 3630],
    ] as const) {
      const all = toldOfMany(wait);
      expect(Math.min(...all)).toBe(wait);
      expect(Math.max(...all)).toBe(most);
      expect(new Set(all).size).toBe(most - wait + 1);
    }
  });

  it('is the same for a repeated request', () => {
    expect(told(3600, 'again')).toBe(told(3600, 'again'));
  });

  it('stays as it is when it is short, and where waiting does not help', () => {
    expect([told(0), told(9), told(null)]).toEqual([0, 9, null]);
  });
});
