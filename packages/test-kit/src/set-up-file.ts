import fc from 'fast-check';
import { afterAll, expect, inject, vi } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Seed of everything random in tests: `TEST_SEED`, else a constant. */
    testSeed: number;
  }
}

// Runs before each test file. Most files share their process with others.

fc.configureGlobal({ seed: inject('testSeed') });

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
