import { describe, expect, it } from 'vitest';
import { limitOf } from '../../test/limits.js';
import { T0 } from '../../test/play.js';
import { intervalBucketRecount } from './interval-bucket.js';
import { NOTHING_FOUND } from './recount-rule.js';

const MINUTE = 60_000;
// The worked example: 100 tokens come back each minute, up to 500.
const policy = limitOf('token_bucket', { limit: 100, capacity: 500, refill: 'interval' });

function taken(atMs: number, cost: number, resetMs = Math.floor((T0 + atMs) / MINUTE + 1) * MINUTE) {
  const told = { limit: policy.name, client: 'a', revision: 1, limitMax: 100, windowMs: MINUTE, policy };
  return { ...told, cost, sentMs: T0 + atMs, receivedMs: T0 + atMs + 4, resetMs };
}

const judge = (...charges: ReturnType<typeof taken>[]) => intervalBucketRecount.judge(charges, 5);

describe('recount of a bucket that is refilled at intervals', () => {
  it('lets the whole bucket pass, then a refill after each boundary', () => {
    expect(judge(taken(30_000, 500), taken(61_000, 100), taken(121_000, 100))).toEqual(NOTHING_FOUND);
  });

  it('finds what came before its boundary', () => {
    expect(judge(taken(10_000, 500), taken(50_000, 1))).toMatchObject({
      overAdmitted: 1,
      contradictions: 0,
      finding: '1 admitted beyond 500 at once and 100 at the end of each 60000 ms',
    });
    expect(judge(taken(30_000, 500), taken(61_000, 100), taken(62_000, 1)).overAdmitted).toBe(1);
  });

  it('counts what was under way across a boundary where it hurts least', () => {
    expect(judge(taken(30_000, 500), taken(59_998, 100))).toEqual(NOTHING_FOUND);
    expect(judge(taken(30_000, 500), taken(59_980, 100)).overAdmitted).toBe(100);
  });

  it.each([
    ['between two boundaries', T0 + MINUTE + 1],
    ['before anything was taken', T0],
    ['later than an empty bucket takes', T0 + 6 * MINUTE],
  ])('does not believe that the bucket is full %s', (_title, resetMs) => {
    expect(judge(taken(30_000, 1, resetMs)).contradictions).toBe(1);
  });
});
