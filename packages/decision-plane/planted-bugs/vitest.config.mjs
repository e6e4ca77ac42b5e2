import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { programTags, usePrograms } from '../../../scripts/bootstrap/programs.mjs';

usePrograms();

/** Suites of a copy of this package, without Postgres and other packages' tests. */
export default defineConfig({
  resolve: { conditions: ['tollgate:source'] },
  ssr: { resolve: { conditions: ['tollgate:source', 'node'] } },
  test: {
    root: process.env.PLANTED_ROOT,
    include: ['{src,test}/**/*.spec.ts'],
    setupFiles: [fileURLToPath(new URL('end-on-failure.mjs', import.meta.url))],
    provide: { testSeed: Number(process.env.TEST_SEED) },
    tags: programTags(),
    maxWorkers: 1,
    bail: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
