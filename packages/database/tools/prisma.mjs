#!/usr/bin/env node
// Runs Prisma's CLI with our schema engine in place of the native one, which would have to be downloaded.
// `generate`, `validate` and `format` only want the file to exist, so they work before the first build.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
const result = spawnSync(process.execPath, [cli, ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: fileURLToPath(new URL('..', import.meta.url)), // where prisma.config.ts is
  env: {
    ...process.env,
    // Its first line looks up `node` on PATH.
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ''}`,
    PRISMA_SCHEMA_ENGINE_BINARY: fileURLToPath(new URL('schema-engine.mjs', import.meta.url)),
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  },
});
process.exit(result.status ?? 1);
