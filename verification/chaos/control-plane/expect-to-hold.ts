import { expect, inject } from 'vitest';
import type { Goal, GoalOptions } from './goal.ts';

/** Runs a short version of a goal; `pnpm chaos:control` runs the long one. */
export async function expectToHold(goal: Goal, options: Partial<GoalOptions> = {}): Promise<void> {
  const {
    failures = [],
    numbers,
    verdict,
  } = await goal.run({ seed: inject('testSeed'), seconds: 1, scale: 0.1, ...options });
  expect({ verdict, failures, numbers }).toMatchObject({ verdict: true, failures: [] });
}
