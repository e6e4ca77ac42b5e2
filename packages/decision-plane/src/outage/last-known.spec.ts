import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy } from '../../test/policies.js';
import { LastKnown } from './last-known.js';

const NOW_US = 1_800_000_000_000_000;
const MINUTE_US = 60_000_000;
const { policy } = compiled(fixedWindowPolicy());

/** The store said so much is left, to be reset in so long. */
function read(
  known: LastKnown,
  key: string,
  remaining: number,
  nowUs = NOW_US,
  resetAfterUs = MINUTE_US,
  by = policy,
): void {
  const result = { allowed: remaining >= 0, over: false, remaining, waitUs: 0, resetAfterUs };
  known.remember([{ key, policy: by, cost: 1 }], [result], nowUs);
}

describe('LastKnown', () => {
  it('says where a counter stood, until its reset', () => {
    const known = new LastKnown();
    read(known, 'k', 2);
    expect(known.find('k', NOW_US + MINUTE_US - 1)).toMatchObject({ remaining: 2, nowUs: NOW_US });
    expect(known.find('k', NOW_US + MINUTE_US)).toBeUndefined();
    expect(known.find('other', NOW_US)).toBeUndefined();
  });

  it('what one node found exhausted, another one knows; a newer reading of its own counts more', () => {
    const [a, b] = [new LastKnown(), new LastKnown()];
    read(b, 'k', 5, NOW_US - 1);
    read(a, 'k', 0);
    for (const exhaustion of a.takeExhaustions()) b.noteRemote(exhaustion);
    expect(b.find('k', NOW_US)).toMatchObject({ remaining: 0, nowUs: NOW_US });
    expect(b.find('k', NOW_US + MINUTE_US)).toBeUndefined();
    read(b, 'k', 3, NOW_US + 1);
    expect(b.find('k', NOW_US + 2)?.remaining).toBe(3);
    b.noteRemote({ key: 'k', remaining: 0, nowUs: NOW_US - 5, resetAtUs: NOW_US + MINUTE_US });
    expect(b.find('k', NOW_US + 2)?.remaining).toBe(3);
  });

  it('tells an exhaustion once, and again when it goes on for half a minute or comes back', () => {
    const known = new LastKnown();
    const newsAt = (nowUs: number, resetAfterUs: number) => {
      read(known, 'k', 0, nowUs, resetAfterUs);
      return known.takeExhaustions().length;
    };
    expect(newsAt(NOW_US, MINUTE_US)).toBe(1);
    expect(newsAt(NOW_US + 29_999_999, 30_000_001)).toBe(0);
    expect(newsAt(NOW_US + 30_000_000, 30_000_000)).toBe(1);
    expect(newsAt(NOW_US + MINUTE_US, MINUTE_US)).toBe(1);
  });

  it('tells of a counter each time that half of what was told is spent, and when nothing is left', () => {
    const known = new LastKnown();
    const hundred = compiled(fixedWindowPolicy({ limit: 100 })).policy;
    const told: number[] = [];
    for (let remaining = 99; remaining >= 0; remaining--) {
      read(known, 'k', remaining, NOW_US + 100 - remaining, MINUTE_US, hundred);
      told.push(...known.takeExhaustions().map((news) => news.remaining));
    }
    expect(told).toEqual([50, 25, 12, 6, 3, 1, 0]);
  });

  it('tells nothing of counters with something left, nor of what is over in a moment', () => {
    const known = new LastKnown();
    read(known, 'left', 1);
    read(known, 'soon', 0, NOW_US, 1_999_999);
    expect(known.takeExhaustions()).toEqual([]);
  });

  it('of a counter that was given something back it keeps the reading, and tells it anew', () => {
    const known = new LastKnown();
    read(known, 'k', 0);
    known.cleared('k');
    expect(known.find('k', NOW_US)).toMatchObject({ remaining: 0 });
    expect(known.takeExhaustions()).toEqual([]);
    read(known, 'k', 0);
    expect(known.takeExhaustions()).toHaveLength(1);
  });

  it('of two readings the newer one stays, in whatever order they come', () => {
    const known = new LastKnown();
    read(known, 'k', 3, NOW_US + 10);
    read(known, 'k', 5, NOW_US);
    expect(known.find('k', NOW_US + 20)).toMatchObject({ remaining: 3 });
  });

  it('holds a bounded number of counters, the ones met last', () => {
    const known = new LastKnown();
    for (let i = 0; i < 200_000; i++) read(known, `k${i}`, 1);
    const held = Array.from({ length: 200_000 }, (_, i) => known.find(`k${i}`, NOW_US) !== undefined);
    expect(held.slice(-50_000).every(Boolean)).toBe(true);
    expect(held.filter(Boolean).length).toBeLessThanOrEqual(100_000);
  });
});
