import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { programTags, usePrograms } from '../../scripts/bootstrap/programs.mjs';

usePrograms();

/** Entry points of the copies, which replace those of the packages. */
const alias = ['limiter', 'policy', 'replay', 'decision-plane'].flatMap((name) => {
  const folder = path.join(process.env.PLANTED_ROOT, name);
  const { exports } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return Object.entries(exports).map(([subpath, { types }]) => ({
    find: new RegExp(`^@tollgate/${name}${subpath.slice(1)}$`),
    replacement: path.join(folder, types),
  }));
});

/** Suites of a copy of the packages, without Postgres and other packages' tests. */
export default defineConfig({
  resolve: { conditions: ['tollgate:source'], alias },
  ssr: { resolve: { conditions: ['tollgate:source', 'node'] } },
  test: {
    root: process.env.PLANTED_ROOT,
    include: ['*/{src,test}/**/*.spec.ts'],
    setupFiles: [fileURLToPath(new URL('end-on-failure.mjs', import.meta.url))],
    provide: { testSeed: Number(process.env.TEST_SEED) },
    tags: programTags(),
    maxWorkers: 1,
    bail: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
