import { describe, expect, it } from 'vitest';
import { yieldToEventLoop } from './admission.js';

const immediate = () => new Promise((resolve) => setImmediate(resolve));

describe('the end of a turn', () => {
  it('returns the same promise within one event-loop iteration and a new one in the next', async () => {
    const [one, other] = [yieldToEventLoop(), yieldToEventLoop()];
    expect(one).toBe(other);
    await one;
    expect(yieldToEventLoop()).not.toBe(one);
    await yieldToEventLoop();
  });

  it('resumes large groups in order and lets I/O run between batches', async () => {
    const begun: number[] = [];
    const all = Array.from({ length: 1000 }, async (_, i) => {
      await yieldToEventLoop();
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
