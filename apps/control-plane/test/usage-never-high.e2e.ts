// @module-tag redis-server
import { describe, expect, inject, it } from 'vitest';
import { usageIsNeverHigh } from '../chaos/c11-usage.ts';

/** Programs are started while tests wait for each other. */
const TIMEOUT_MS = 300_000;

// The short form of goal C11; `pnpm chaos:control -- --only C11` runs all of it.
describe('usage of nodes and workers that are killed', () => {
  it('is exact or low, never high', { timeout: TIMEOUT_MS }, async () => {
    const seed = inject('testSeed');
    const { failures, numbers } = await usageIsNeverHigh.run({ seed, scale: 0.02, seconds: 1 });
    expect(failures, JSON.stringify({ seed, ...numbers })).toEqual([]);
  });
});
