import { describe, expect, it } from 'vitest';
import { compiled, fixedWindowPolicy } from '../../../limiter/test/policies.js';
import { LastKnown } from './local-shares.js';

const NOW_US = 1_800_000_000_000_000;
const MINUTE_US = 60_000_000;
const { policy } = compiled(fixedWindowPolicy());

/** A reading of the store. */
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
  it('returns a reading until its reset', () => {
    const known = new LastKnown();
    read(known, 'k', 2);
    expect(known.find('k', NOW_US + MINUTE_US - 1)).toMatchObject({ remaining: 2, nowUs: NOW_US });
    expect(known.find('k', NOW_US + MINUTE_US)).toBeUndefined();
    expect(known.find('other', NOW_US)).toBeUndefined();
  });

  it('uses exhaustions of other nodes unless its own reading is newer', () => {
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

  it('publishes an exhaustion once, and again after half a minute or a reset', () => {
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

  it('publishes a counter when half of the published rest is spent, and when it is exhausted', () => {
    const known = new LastKnown();
    const hundred = compiled(fixedWindowPolicy({ limit: 100 })).policy;
    const told: number[] = [];
    for (let remaining = 99; remaining >= 0; remaining--) {
      read(known, 'k', remaining, NOW_US + 100 - remaining, MINUTE_US, hundred);
      told.push(...known.takeExhaustions().map((news) => news.remaining));
    }
    expect(told).toEqual([50, 25, 12, 6, 3, 1, 0]);
  });

  it('does not publish counters with units left or with an imminent reset', () => {
    const known = new LastKnown();
    read(known, 'left', 1);
    read(known, 'soon', 0, NOW_US, 1_999_999);
    expect(known.takeExhaustions()).toEqual([]);
  });

  it('keeps the reading of a refunded counter and publishes it again', () => {
    const known = new LastKnown();
    read(known, 'k', 0);
    known.cleared('k');
    expect(known.find('k', NOW_US)).toMatchObject({ remaining: 0 });
    expect(known.takeExhaustions()).toEqual([]);
    read(known, 'k', 0);
    expect(known.takeExhaustions()).toHaveLength(1);
  });

  it('keeps the newer of two readings in any order', () => {
    const known = new LastKnown();
    read(known, 'k', 3, NOW_US + 10);
    read(known, 'k', 5, NOW_US);
    expect(known.find('k', NOW_US + 20)).toMatchObject({ remaining: 3 });
  });

  it('keeps a bounded number of recent counters', () => {
    const known = new LastKnown();
    for (let i = 0; i < 200_000; i++) read(known, `k${i}`, 1);
    const held = Array.from({ length: 200_000 }, (_, i) => known.find(`k${i}`, NOW_US) !== undefined);
    expect(held.slice(-50_000).every(Boolean)).toBe(true);
    expect(held.filter(Boolean).length).toBeLessThanOrEqual(100_000);
  });
});
