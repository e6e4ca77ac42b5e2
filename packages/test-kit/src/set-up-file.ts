import fc from 'fast-check';
import { afterAll, expect, inject, vi } from 'vitest';
import { moveDate } from './test-date.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Seed of everything random in tests: `TEST_SEED`, else a constant. */
    testSeed: number;
    /** Start of each file of the project `dated`: `TEST_DATE`, else a constant. Other projects have none. */
    testDate?: string;
  }
}

// Runs before each test file. Most files share their process with others.

fc.configureGlobal({ seed: inject('testSeed') });

const date = inject('testDate');
if (date !== undefined) moveDate(date);

const before = { ...process.env };

afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
  expect(changedVariables(), 'variables that this file changed and did not restore').toEqual([]);
});

function changedVariables(): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  return [...names].filter((name) => before[name] !== process.env[name]);
}
