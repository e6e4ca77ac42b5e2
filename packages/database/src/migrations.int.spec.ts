import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedPostgres, startPostgres } from '@tollgate/embedded';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findMigrationDrift, migrateDeploy } from './migrations.js';
import { createPrismaClient } from './prisma-client.js';
import { runStatement } from './schema-engine/postgres-driver.js';

const SCHEMA = `datasource db {
  provider = "postgresql"
}

model Thing {
  id String @id

  @@map("thing")
}
`;
const CREATE_THING = 'CREATE TABLE "thing" ("id" TEXT NOT NULL, CONSTRAINT "thing_pkey" PRIMARY KEY ("id"));';

let home: string;
let postgres: EmbeddedPostgres;
let migrations: string;
let url: string;
let count = 0;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-migrations-'));
  postgres = await startPostgres({ dataDir: path.join(home, 'postgres'), durable: false });
});

afterAll(async () => {
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
});

beforeEach(() => {
  count += 1;
  migrations = path.join(home, `migrations-${count}`);
  url = postgres.databaseUrl(`database_${count}`);
  mkdirSync(migrations);
  writeFileSync(path.join(migrations, 'migration_lock.toml'), 'provider = "postgresql"\n');
  addMigration('1_thing', CREATE_THING);
});

function addMigration(name: string, sql: string): void {
  mkdirSync(path.join(migrations, name));
  writeFileSync(path.join(migrations, name, 'migration.sql'), sql);
}

function writeSchema(text: string): string {
  const file = path.join(migrations, 'schema.prisma');
  writeFileSync(file, text);
  return file;
}

test('creates the database, applies each migration once and in order', async () => {
  addMigration('2_index', 'CREATE INDEX "thing_lower" ON "thing" (lower("id"));');
  expect(await migrateDeploy(url, migrations)).toEqual(['1_thing', '2_index']);
  expect(await migrateDeploy(url, migrations)).toEqual([]);
});

test('applies migrations once for eight concurrent callers', async () => {
  const applied = await Promise.all(Array.from({ length: 8 }, () => migrateDeploy(url, migrations)));
  expect(applied.flat()).toEqual(['1_thing']);
});

test('runs a function body with semicolons as one statement', async () => {
  const body = 'DECLARE n int; BEGIN n := 1; RETURN n; END';
  addMigration('2_function', `CREATE FUNCTION one() RETURNS int LANGUAGE plpgsql AS $$ ${body} $$;`);
  await migrateDeploy(url, migrations);
  expect((await runStatement(url, 'SELECT one()')).rows).toEqual([{ one: 1 }]);
});

test('rolls back a migration that fails halfway', async () => {
  addMigration('2_broken', 'CREATE TABLE half (id int); CREATE TABLE half (id int);');
  await expect(migrateDeploy(url, migrations)).rejects.toThrow(/already exists/);
  const found = await runStatement(
    url,
    "SELECT to_regclass('half') AS half, to_regclass('thing')::text AS thing",
  );
  expect(found.rows).toEqual([{ half: null, thing: 'thing' }]);
});

test('finds no drift between equal migrations and schema, and drops its shadow database', async () => {
  expect(await findMigrationDrift(postgres.url, migrations, writeSchema(SCHEMA))).toBeUndefined();
  const left = await runStatement(
    postgres.url,
    "SELECT datname FROM pg_database WHERE datname LIKE 'prisma_%'",
  );
  expect(left.rows).toEqual([]);
});

test('names the column that no migration adds', async () => {
  const schema = writeSchema(SCHEMA.replace('id String @id', 'id String @id\n  label String?'));
  expect(await findMigrationDrift(postgres.url, migrations, schema)).toMatch(/thing[\s\S]*label/);
});

test('writes the SQL of the missing migration, which removes the drift', async () => {
  const schema = writeSchema(SCHEMA.replace('id String @id', 'id String @id\n  label String?'));
  const sql = await findMigrationDrift(postgres.url, migrations, schema, 'sql');
  expect(sql).toContain('ALTER TABLE "thing" ADD COLUMN     "label" TEXT');
  addMigration('2_label', sql ?? '');
  expect(await findMigrationDrift(postgres.url, migrations, schema)).toBeUndefined();
});

test('reads times unshifted from a database whose zone is New York', async () => {
  await migrateDeploy(url, migrations);
  await runStatement(url, `ALTER DATABASE database_${count} SET timezone TO 'America/New_York'`);
  const client = createPrismaClient(url);
  const rows = await client.$queryRaw<{ at: Date }[]>`SELECT '2026-01-01T00:00:00Z'::timestamptz AS at`;
  await client.$disconnect();
  expect(rows[0]?.at.toISOString()).toBe('2026-01-01T00:00:00.000Z');
});
