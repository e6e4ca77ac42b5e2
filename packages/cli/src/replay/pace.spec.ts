import { describe, expect, it } from 'vitest';
import { Pace } from './pace.js';

describe('pace', () => {
  it('makes the first line due at once and the others as much later as the log says, divided by the speed', () => {
    const pace = new Pace(60);
    expect([1_000_000, 1_060_000, 4_600_000].map((atMs, i) => pace.dueMs(atMs, 500 + i))).toEqual([
      500, 1500, 60_500,
    ]);
  });

  it('makes a line from before the one ahead of it due together with that', () => {
    const pace = new Pace(1);
    expect([10_000, 15_000, 12_000, 9000, 16_000].map((atMs) => pace.dueMs(atMs, 0))).toEqual([
      0, 5000, 5000, 5000, 6000,
    ]);
  });
});
