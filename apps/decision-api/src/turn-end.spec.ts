import { describe, expect, it } from 'vitest';
import { turnEnd } from './turn-end.js';

const immediate = () => new Promise((resolve) => setImmediate(resolve));

describe('the end of a turn', () => {
  it('is one for those of a turn; the next has an end of its own', async () => {
    const [one, other] = [turnEnd(), turnEnd()];
    expect(one).toBe(other);
    await one;
    expect(turnEnd()).not.toBe(one);
    await turnEnd();
  });

  it('more than some go on in their order, and let others be heard in between', async () => {
    const begun: number[] = [];
    const all = Array.from({ length: 1000 }, async (_, i) => {
      await turnEnd();
      begun.push(i);
    });
    const seen: number[] = [];
    while (begun.length < all.length) {
      await immediate();
      seen.push(begun.length);
    }
    await Promise.all(all);
    expect(begun).toEqual([...begun.keys()]);
    expect(seen.length).toBeGreaterThan(5);
  });
});
