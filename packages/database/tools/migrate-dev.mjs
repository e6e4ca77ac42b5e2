// pnpm db:migrate -- --name <what-changes> [--create-only]: writes the migration to schema.prisma, then generates the client.
// Without --create-only, also applies all migrations to an empty database.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findMigrationDrift, migrateDeploy } from '../dist/index.js';
import { withDatabase } from './with-database.mjs';

const { name, 'create-only': createOnly } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { name: { type: 'string' }, 'create-only': { type: 'boolean' } },
}).values;
if (name === undefined) throw new Error('pass --name <what-changes>');
const prismaDir = fileURLToPath(new URL('../../../prisma/', import.meta.url));
const migrations = path.join(prismaDir, 'migrations');

await withDatabase(async (url) => {
  await migrateDeploy(url, migrations);
  const sql = await findMigrationDrift(url, migrations, path.join(prismaDir, 'schema.prisma'), 'sql');
  if (sql === undefined) return console.log('The migrations already build schema.prisma.');
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = path.join(migrations, `${stamp}_${name.replaceAll('-', '_')}`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'migration.sql'), sql);
  console.log(`Written: ${path.join(folder, 'migration.sql')}. Read it, and give a new table its policy.`);
  if (!createOnly) await migrateDeploy(url, migrations);
});
const generate = [fileURLToPath(new URL('prisma.mjs', import.meta.url)), 'generate'];
process.exitCode = spawnSync(process.execPath, generate, { stdio: 'inherit' }).status ?? 1;
