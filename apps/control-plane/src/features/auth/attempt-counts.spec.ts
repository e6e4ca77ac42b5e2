import { describe, expect, it } from 'vitest';
import { AttemptCounts } from './attempt-counts.js';

const RULE = { window: 60, max: 2 };

describe('attempts to sign in', () => {
  it('are counted by key, for each app apart', async () => {
    const counts = new AttemptCounts();
    for (const key of ['one', 'one', 'other']) expect((await counts.consume(key, RULE)).allowed).toBe(true);
    expect((await counts.consume('one', RULE)).allowed).toBe(false);
    expect((await counts.consume('other', RULE)).allowed).toBe(true);
    expect((await new AttemptCounts().consume('one', RULE)).allowed).toBe(true);
  });

  it('pass again a window after the last that passed', async () => {
    let nowMs = 0;
    const counts = new AttemptCounts(() => nowMs);
    await counts.consume('one', RULE);
    nowMs = 30_000;
    await counts.consume('one', RULE);
    nowMs = 89_999;
    expect(await counts.consume('one', RULE)).toEqual({ allowed: false, retryAfter: 1 });
    nowMs = 90_000;
    expect(await counts.consume('one', RULE)).toEqual({ allowed: true, retryAfter: null });
  });
});
