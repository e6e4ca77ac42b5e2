import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { POLL_INTERVAL_MS, WAIT_LIMIT_MS } from './packages/test-kit/src/eventually.ts';
import { isNightly } from './packages/test-kit/src/tier.ts';
import { programTags, usePrograms } from './scripts/bootstrap/programs.mjs';

usePrograms();

/** `pnpm test:random` sets another one. */
const SEED = Number(process.env.TEST_SEED ?? 20_261_129);

/** `pnpm test:nightly dates` sets others, one project each. */
const DATES = (process.env.TEST_DATE ?? '2032-05-12T10:10Z').split(',');

const SERVICES = ['./packages/test-kit/src/global-setup.ts'];

/** Tests that start a control plane, or parts of it, in their own process. */
const CONTROL_PLANE = [
  'apps/control-plane/src/**/*.int.spec.ts',
  'apps/control-plane/test/*.{int.spec,e2e}.ts',
  'verification/chaos/control-plane/*.{int.spec,e2e}.ts',
];

/** Tests of the console's pages, without a browser. */
const COMPONENTS = ['apps/console/src/**/*.spec.tsx'];

/** Tests with lasting effects on their process. */
const ALONE = ['apps/control-plane/test/alone/*.e2e.ts'];

/** Tests whose results depend on the date: days and months of quotas, billing periods, the demo. */
const DATED = [
  'apps/control-plane/test/{demo,demo-concepts,demo-shop,quota-calendar}.int.spec.ts',
  'apps/control-plane/test/usage.e2e.ts',
  'apps/control-plane/src/features/usage/rollover/rollover.int.spec.ts',
  'packages/decision-plane/test/{quota-both-lost,quota-loss,quota-outage,quota-property,regions}.int.spec.ts',
  ...(isNightly() ? ['apps/control-plane/test/demo-numbers.nightly.ts'] : []),
];

/** As in e2e. */
const NIGHTLY = {
  extends: true,
  test: {
    name: 'nightly',
    include: [
      '{apps,packages}/*/test/*.nightly.ts',
      'scripts/test/*.nightly.mjs',
      'verification/*/*.nightly.{ts,mjs}',
    ],
    exclude: [...configDefaults.exclude, ...DATED],
    globalSetup: SERVICES,
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
  },
} as const;

/** Files that take minutes, whatever their size. */
const LONGEST = [
  'scripts/test/product.e2e.mjs',
  'scripts/test/console.e2e.mjs',
  'apps/control-plane/test/tenant-matrix.e2e.ts',
];

/** Starts the longest files first, so that none of them runs alone at the end; the others by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/**
 * Kinds of tests, see CONTRIBUTING.md. Postgres starts for all but `unit` and `console`. Files of all but `alone` share
 * modules: loading them again takes longer than most tests. `e2e` runs last.
 */
export default defineConfig({
  resolve: { conditions: ['tollgate:source'] },
  ssr: { resolve: { conditions: ['tollgate:source', 'node'] } },
  test: {
    passWithNoTests: false,
    setupFiles: ['./packages/test-kit/src/set-up-file.ts'],
    provide: { testSeed: SEED },
    unstubEnvs: true,
    unstubGlobals: true,
    restoreMocks: true,
    sequence: { sequencer: LongestFirst },
    // A tag names a program that the test needs.
    tags: programTags(),
    // Much of the time is spent waiting.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // Bounds for hanging tests, ample for a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: WAIT_LIMIT_MS, interval: POLL_INTERVAL_MS } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            '{apps,packages}/*/{src,test,tools}/**/*.spec.{ts,tsx}',
            '{scripts,docker,deploy}/**/*.spec.mjs',
            'verification/**/*.spec.ts',
          ],
          exclude: [...configDefaults.exclude, '**/*.int.spec.ts', ...COMPONENTS],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: COMPONENTS,
          environment: 'happy-dom',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'int',
          include: ['{apps,packages}/*/{src,test}/**/*.int.spec.ts', 'verification/**/*.int.spec.ts'],
          exclude: [...configDefaults.exclude, ...CONTROL_PLANE, ...DATED],
          globalSetup: SERVICES,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'control-plane',
          include: CONTROL_PLANE,
          exclude: [...configDefaults.exclude, ...DATED],
          globalSetup: SERVICES,
          isolate: false,
        },
      },
      ...DATES.map((testDate) => ({
        extends: true as const,
        test: {
          name: DATES.length === 1 ? 'dated' : `dated ${testDate}`,
          include: DATED,
          globalSetup: SERVICES,
          isolate: false,
          provide: { testDate },
        },
      })),
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['{apps,packages}/*/test/**/*.e2e.ts', 'scripts/test/*.e2e.mjs'],
          exclude: [...configDefaults.exclude, ...CONTROL_PLANE, ...ALONE],
          globalSetup: SERVICES,
          isolate: false,
          // Each file runs the whole product and a browser.
          maxWorkers: 3,
          // A test opens dozens of pages, a hook starts the product.
          testTimeout: 1_200_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          globalSetup: SERVICES,
          // As in e2e, which shares the group.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      ...(isNightly() ? [NIGHTLY] : []),
    ],
  },
});
