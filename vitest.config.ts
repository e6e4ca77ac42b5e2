import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const SERVICES = ['./packages/test-kit/src/global-setup.ts'];

/**
 * Three kinds of tests (style guide, tests). Postgres starts only when a test of the kinds `int` or `e2e` runs.
 * `e2e` comes last and one file at a time: these start whole programs, and some of them measure times.
 */
export default defineConfig({
  resolve: { conditions: ['tollgate:source'] },
  ssr: { resolve: { conditions: ['tollgate:source', 'node'] } },
  test: {
    passWithNoTests: false,
    // At least two: with one, Vitest puts these files behind those of `e2e`.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{apps,packages}/*/{src,test}/**/*.spec.{ts,tsx}', '{scripts,docker}/**/*.spec.mjs'],
          exclude: [...configDefaults.exclude, '**/*.int.spec.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'int',
          include: ['{apps,packages}/*/{src,test}/**/*.int.spec.ts'],
          globalSetup: SERVICES,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['{apps,packages}/*/test/**/*.e2e.ts', 'scripts/test/*.e2e.mjs'],
          globalSetup: SERVICES,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
