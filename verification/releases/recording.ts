import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { runStatement } from '@tollgate/database';

export const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
export const RECORDING = fileURLToPath(new URL('previous-release.json.gz', import.meta.url));

/** An installation of a release, recorded by `pnpm release:record`. The next release must work with it. */
export interface ReleaseRecording {
  version: string;
  /** SHA-256 of each migration. */
  migrations: Record<string, string>;
  /** By table. */
  rows: Record<string, object[]>;
  /** Statements of the application, each form once. */
  statements: string[];
  policyKey: string;
  /** Stored policy by Redis key. */
  policy: Record<string, string>;
  lastGoodPolicy: string;
  usageFrames: string[];
  journalEntries: string[];
  nodeReports: string[];
}

export function readRecording(): ReleaseRecording {
  return JSON.parse(gunzipSync(readFileSync(RECORDING)).toString('utf8'));
}

export function hashMigrations(): Record<string, string> {
  const folders = readdirSync(MIGRATIONS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return Object.fromEntries(
    folders.map(({ name }) => {
      const sql = readFileSync(path.join(MIGRATIONS, name, 'migration.sql'));
      return [name, createHash('sha256').update(sql).digest('hex')];
    }),
  );
}

const SYNCHRONIZE_SEQUENCES = `
  DO $$ DECLARE "owned" record; BEGIN
    FOR "owned" IN SELECT table_name AS "t", column_name AS "c" FROM information_schema.columns
      WHERE table_schema = 'public' AND column_default LIKE 'nextval(%'
    LOOP
      EXECUTE format('SELECT setval(%L, coalesce(max(%I), 1)) FROM %I',
        pg_get_serial_sequence(quote_ident("owned"."t"), "owned"."c"), "owned"."c", "owned"."t");
    END LOOP;
  END $$`;

/** Replaces all rows by recorded ones, without triggers. @param url superuser */
export async function loadRows(url: string, rows: ReleaseRecording['rows']): Promise<void> {
  const tables = Object.keys(rows).map((table) => `"${table}"`);
  const inserts = Object.entries(rows).map(
    ([table, content]) =>
      `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $rows$${JSON.stringify(content)}$rows$)`,
  );
  await runStatement(
    url,
    [`SET session_replication_role = replica; TRUNCATE ${tables}`, ...inserts, SYNCHRONIZE_SEQUENCES].join(
      ';\n',
    ),
  );
}

/** All columns by name (table.column). */
export async function describeColumns(url: string): Promise<Map<string, Column>> {
  const { rows } = await runStatement(
    url,
    `SELECT c.relname AS "table", format('%s.%s', c.relname, a.attname) AS "name", format_type(a.atttypid, a.atttypmod) AS "type",
       a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS "isRequired"
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  return new Map(rows.map((column: Column) => [column.name, column]));
}

interface Column {
  table: string;
  name: string;
  type: string;
  /** An INSERT that does not name the column fails. */
  isRequired: boolean;
}

/** Differences that break a process which knows `before`. Not missing columns: they make statements invalid that use them. */
export function findBreaks(before: Map<string, Column>, after: Map<string, Column>): string[] {
  const tables = new Set([...before.values()].map(({ table }) => table));
  return [...after.values()].flatMap(({ table, name, type, isRequired }) => {
    const known = before.get(name);
    if (known !== undefined && known.type !== type) return [`${name} was ${known.type}, is ${type}`];
    return isRequired && known?.isRequired !== true && tables.has(table) ? [`${name} is required now`] : [];
  });
}

export interface Rejection {
  statement: string;
  error: string;
}

/** Plans statements as the role of the application. Returns those that Postgres rejects. */
export async function findRejected(url: string, statements: readonly string[]): Promise<Rejection[]> {
  const script = `
    DO $script$ DECLARE "statement" text; "rejected" jsonb := '[]'; BEGIN
      SET LOCAL ROLE tollgate_app;
      FOR "statement" IN SELECT jsonb_array_elements_text($statements$${JSON.stringify(statements)}$statements$) LOOP
        BEGIN
          EXECUTE 'EXPLAIN (GENERIC_PLAN) ' || "statement";
        EXCEPTION WHEN OTHERS THEN
          "rejected" := "rejected" || jsonb_build_object('statement', "statement", 'error', SQLERRM);
        END;
      END LOOP;
      PERFORM set_config('tollgate.rejected', "rejected"::text, false);
    END $script$;
    SELECT current_setting('tollgate.rejected')::jsonb AS "rejected"`;
  const results = (await runStatement(url, script)) as unknown as { rows: { rejected: Rejection[] }[] }[];
  return results.at(-1)?.rows[0]?.rejected ?? [];
}
