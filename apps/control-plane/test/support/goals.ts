import { expect } from 'vitest';
import type { Goal, GoalOptions } from '../../chaos/goal.js';

export const CHAOS_SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 2 ** 31);

/** Runs a short version of a goal; `pnpm chaos:control` runs the full version. */
export async function expectToHold(goal: Goal, options: Partial<GoalOptions> = {}): Promise<void> {
  const {
    failures = [],
    numbers,
    verdict,
  } = await goal.run({ seed: CHAOS_SEED, seconds: 1, scale: 0.1, ...options });
  expect({ verdict, failures, numbers }).toMatchObject({ verdict: true, failures: [] });
}
