import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

const MODULES = path.join(import.meta.dirname, '../node_modules');
/** The CLI is a tool of the workspace. */
const TOOLS = path.join(import.meta.dirname, '../../../node_modules');

/** Read from disk, not through require: most of these packages do not export their package.json. */
function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as Manifest;
}

test('uses the schema engine that the installed Prisma was released with', () => {
  const engines = path.join(realpathSync(path.join(TOOLS, 'prisma')), '../@prisma/engines');
  const installed = readManifest(path.join(MODULES, '@prisma/schema-engine-wasm'));
  expect(installed.version).toBe(readManifest(engines).dependencies['@prisma/engines-version']);
});

test('uses one version of all parts of Prisma', () => {
  const names = ['@prisma/client', '@prisma/adapter-pg', '@prisma/driver-adapter-utils'];
  const folders = [path.join(TOOLS, 'prisma'), ...names.map((name) => path.join(MODULES, name))];
  const versions = folders.map((folder) => readManifest(folder).version);
  expect(new Set(versions).size).toBe(1);
});
