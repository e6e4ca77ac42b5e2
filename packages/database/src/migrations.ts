import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  codeOf,
  DATABASE_MISSING,
  pg,
  runStatement,
  splitPostgresUrl,
} from './schema-engine/postgres-driver.js';
import { runEngineCommand } from './schema-engine/run-command.js';
import type { MigrationDirectory, MigrationsList } from './schema-engine/wasm-types.js';

const NO_FILTERS = { externalTables: [], externalEnums: [] };
const ALREADY_CREATED = ['42P04', '23505'];

/**
 * Applies missing migrations and returns their names. Uses the table, checksums and lock of `prisma migrate deploy`.
 * Creates the database if needed. Concurrent calls wait for each other.
 * @throws when a migration fails: it is rolled back, and later calls fail until it is resolved
 */
export async function migrateDeploy(url: string, migrationsDir: string): Promise<string[]> {
  await ensureDatabase(url);
  const params = { migrationsList: readMigrations(migrationsDir), filters: NO_FILTERS };
  const result = await runEngineCommand(url, 'applyMigrations', params);
  return (result as { appliedMigrationNames: string[] }).appliedMigrationNames;
}

/**
 * Differences between migrations and Prisma schema; undefined: none. Works in a separate database on the server of `url`.
 * @param form `sql`: the statements of the missing migration; `text`: for people
 */
export async function findMigrationDrift(
  url: string,
  migrationsDir: string,
  schemaFile: string,
  form: 'sql' | 'text' = 'text',
): Promise<string | undefined> {
  const result = await runEngineCommand(url, 'diff', {
    from: { tag: 'migrations', ...readMigrations(migrationsDir) },
    to: { tag: 'schemaDatamodel', files: [{ path: schemaFile, content: readFileSync(schemaFile, 'utf8') }] },
    script: form === 'sql',
    exitCode: true,
    filters: NO_FILTERS,
  });
  const { exitCode, stdout } = result as { exitCode: number; stdout?: string | null };
  return exitCode === 0 ? undefined : (stdout ?? 'the migrations and the schema differ');
}

async function ensureDatabase(url: string): Promise<void> {
  try {
    await runStatement(url, 'SELECT 1');
  } catch (error) {
    if (codeOf(error) !== DATABASE_MISSING) throw error;
    const name = pg.escapeIdentifier(splitPostgresUrl(url).database);
    await runStatement(url, `CREATE DATABASE ${name}`, 'postgres').catch((failure: unknown) => {
      // Another process created it.
      if (!ALREADY_CREATED.includes(codeOf(failure))) throw failure;
    });
  }
}

function readMigrations(dir: string): MigrationsList {
  const lockfile = path.join(dir, 'migration_lock.toml');
  const migrationDirectories = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => readMigration(dir, name));
  return {
    baseDir: dir,
    lockfile: {
      path: 'migration_lock.toml',
      content: existsSync(lockfile) ? readFileSync(lockfile, 'utf8') : null,
    },
    shadowDbInitScript: '',
    migrationDirectories,
  };
}

function readMigration(dir: string, name: string): MigrationDirectory {
  const file = path.join(dir, name, 'migration.sql');
  const content = existsSync(file)
    ? { tag: 'ok' as const, value: readFileSync(file, 'utf8') }
    : { tag: 'error' as const, value: 'migration.sql is missing' };
  return { path: name, migrationFile: { path: 'migration.sql', content } };
}
