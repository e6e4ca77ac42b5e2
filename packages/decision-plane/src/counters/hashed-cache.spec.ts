import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashedCache, hashOn } from './hashed-cache.js';

interface Entry {
  readonly first: string;
  readonly second: number;
  readonly value: number;
}

class Entries extends HashedCache<Entry, string, number> {
  constructor(
    maxEntries: number,
    private readonly hashOf: (first: string) => number,
  ) {
    super(maxEntries);
  }

  find(first: string, second: number): number | undefined {
    return this.get(this.hashOf(first), first, second)?.value;
  }

  keep(first: string, second: number, value: number): void {
    this.add(this.hashOf(first), { first, second, value }, first, second);
  }

  protected override matches(entry: Entry, first: string, second: number): boolean {
    return entry.first === first && entry.second === second;
  }
}

describe('HashedCache', () => {
  it('returns the last value added for a key, or nothing', () => {
    const keys = fc.array(fc.tuple(fc.string({ maxLength: 2 }), fc.nat(2)), { maxLength: 2000 });
    fc.assert(
      fc.property(keys, fc.boolean(), (added, doCollide) => {
        const cache = new Entries(1024, doCollide ? () => 7 : (first) => hashOn(0, first));
        const last = new Map<string, number>();
        for (const [value, [first, second]] of added.entries()) {
          cache.keep(first, second, value);
          last.set(`${second} ${first}`, value);
          expect(cache.find(first, second)).toBe(value);
        }
        for (const [first, second] of added)
          expect([undefined, last.get(`${second} ${first}`)]).toContain(cache.find(first, second));
      }),
    );
  });

  it('keeps the newest of keys with equal hashes', () => {
    const cache = new Entries(1024, () => 7);
    for (let value = 0; value < 10; value++) cache.keep('a', value, value);
    expect([5, 6, 7, 8, 9].map((second) => cache.find('a', second))).toEqual([undefined, 6, 7, 8, 9]);
    cache.keep('a', 6, 60);
    expect([6, 7, 8, 9].map((second) => cache.find('a', second))).toEqual([60, 7, 8, 9]);
  });

  it('grows for its keys up to its size, and keeps most of them', () => {
    const cache = new Entries(16_384, (first) => hashOn(0, first));
    const names = Array.from({ length: 8000 }, (_, n) => `tenant-${n}`);
    for (const [n, name] of names.entries()) cache.keep(name, 0, n);
    const found = names.filter((name, n) => cache.find(name, 0) === n).length;
    expect(found).toBeGreaterThan(7000);
    for (let n = 0; n < 100_000; n++) cache.keep(`other-${n}`, 0, n);
    expect(names.filter((name) => cache.find(name, 0) !== undefined).length).toBeLessThan(1000);
  });
});
