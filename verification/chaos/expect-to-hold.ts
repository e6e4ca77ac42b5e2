import { expect, inject } from 'vitest';
import type { Goal, GoalOptions, Measurement } from './goal.ts';

/** Short forms, with nodes in this process. `pnpm chaos` runs the long ones with processes and measures times. */
const SHORT: GoalOptions = {
  seed: inject('testSeed'),
  seconds: 1,
  scale: 0.1,
  isolation: 'none',
  cluster: false,
};

/** Runs the short form of a goal; all its measurements must hold. */
export async function expectToHold(goal: Goal, options: Partial<GoalOptions> = {}): Promise<void> {
  const measurements: Measurement[] = [];
  await goal.run({ ...SHORT, ...options }, (measurement) => measurements.push(measurement));
  expect(measurements).not.toHaveLength(0);
  expect(measurements.filter(({ failures }) => failures.length > 0)).toEqual([]);
}
