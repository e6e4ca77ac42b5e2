import { seededRandom } from '@tollgate/test-kit/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeavyHitters } from './heavy-hitters.js';

/** `draws` draws of 1 to `subjects`, number k with a weight of 1 ÷ k^`skew`. */
function zipf(seed: number, draws: number, subjects: number, skew: number): number[] {
  const random = seededRandom(seed);
  const sums: number[] = [];
  for (let k = 1; k <= subjects; k++) sums.push((sums.at(-1) ?? 0) + 1 / k ** skew);
  const total = sums.at(-1) ?? 0;
  return Array.from({ length: draws }, () => {
    const drawn = random() * total;
    let [low, high] = [0, subjects - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) > drawn) high = middle;
      else low = middle + 1;
    }
    return low + 1;
  });
}

describe('HeavyHitters', () => {
  it('counts exactly up to its maximum of tracked counters', () => {
    const hitters = new HeavyHitters(3);
    for (const [counter, units] of [
      ['a', 2],
      ['b', 5],
      ['a', 1],
      ['c', 1],
    ] as const) {
      hitters.record('acme', 'shop', 'minute', counter, units);
    }
    const named = { tenant: 'acme', api: 'shop', limit: 'minute', error: 0 };
    expect(hitters.take(2)).toEqual([
      { ...named, counter: 'b', units: 5 },
      { ...named, counter: 'a', units: 3 },
    ]);
    expect(hitters.take(2)).toEqual([]);
  });

  it('ignores invalid units', () => {
    const hitters = new HeavyHitters();
    for (const units of [0, -1, Number.NaN]) hitters.record('acme', 'shop', 'minute', 'a', units);
    expect(hitters.take(10)).toEqual([]);
  });

  it('tracks every counter above N ÷ m in skewed traffic, with an overestimate of at most N ÷ m', () => {
    const traffic = fc.record({
      seed: fc.integer(),
      counters: fc.integer({ min: 1, max: 64 }),
      skew: fc.double({ min: 0, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(traffic, ({ seed, counters, skew }) => {
        const hitters = new HeavyHitters(counters);
        const exact = new Map<string, number>();
        let total = 0;
        for (const subject of zipf(seed, 3000, 500, skew)) {
          const units = 1 + (subject % 4);
          total += units;
          exact.set(`u${subject}`, (exact.get(`u${subject}`) ?? 0) + units);
          hitters.record('acme', 'shop', 'minute', `u${subject}`, units);
        }
        const told = hitters.take(counters);
        expect(told.length).toBeLessThanOrEqual(counters);
        for (const { counter, units, error } of told) {
          expect(units).toBeGreaterThanOrEqual(exact.get(counter) ?? 0);
          expect(units - error).toBeLessThanOrEqual(exact.get(counter) ?? 0);
          expect(error).toBeLessThanOrEqual(total / counters);
        }
        const names = new Set(told.map(({ counter }) => counter));
        for (const [counter, units] of exact) if (units > total / counters) expect(names).toContain(counter);
      }),
      { numRuns: 50 },
    );
  });
});
