import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  type WriteFileOptions,
  writeFileSync,
} from 'node:fs';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import * as z from 'zod';
import { CommandError } from '../connection.js';
import { contentsSchema, type DatabaseContents, findDifferences, readContents } from './database-contents.js';
import { DATABASE_MISSING, findProgram, majorOf, run, runOnDatabase, withOwner } from './postgres-session.js';

const APP_ROLE = 'tollgate_app';

/** As the migrations grant them; `pg_dump` writes them for the former owner's name. */
const DEFAULT_PRIVILEGES = `
  ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${APP_ROLE};
  ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO ${APP_ROLE}`;

/**
 * Entries of the archive's list that only an owner may restore: default privileges of the former owner's name, and the comment of an
 * extension, which an administrator may have created before.
 */
const OWNERS_ENTRY = / DEFAULT ACL | COMMENT - EXTENSION /;

/** Written next to the archive. */
const manifestSchema = z.object({
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Version of the server, and of the program that wrote the archive. */
  server: z.string(),
  pgDump: z.string(),
  sha256: z.string(),
  contents: contentsSchema,
});

const manifestFile = (file: string) => `${file}.json`;

/** Readable by the owner only. */
const PRIVATE: WriteFileOptions = { mode: 0o600, flag: 'wx' };

/**
 * Writes all rows to `file`, an archive of `pg_dump`, and counts of the same snapshot to `<file>.json`.
 * @throws CommandError; no file is left behind
 */
export async function backUp(url: string, file: string): Promise<DatabaseContents> {
  for (const path of [file, manifestFile(file)])
    if (existsSync(path)) throw new CommandError(`${path} exists. Choose another file name.`);
  const partial = `${file}.partial`;
  try {
    return await withOwner(url, async (session) => {
      const server = await serverVersion(session);
      const pgDump = await findProgram('pg_dump', majorOf(server));
      await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await refuseBlindLogin(session);
      const snapshot = (await session.query('SELECT pg_export_snapshot() AS id')).rows[0].id;
      const contents = await readContents(session);
      // `pg_dump` keeps the mode of an existing file.
      rmSync(partial, { force: true });
      writeFileSync(partial, '', PRIVATE);
      await runOnDatabase('pg_dump', url, [
        '--format=custom',
        '--enable-row-security',
        `--snapshot=${snapshot}`,
        `--file=${partial}`,
      ]);
      const manifest: z.input<typeof manifestSchema> = {
        version: 1,
        createdAt: new Date().toISOString(),
        server,
        pgDump,
        sha256: await sha256Of(partial),
        contents,
      };
      writeFileSync(manifestFile(file), `${JSON.stringify(manifest, null, 2)}\n`, PRIVATE);
      renameSync(partial, file);
      return contents;
    });
  } catch (error) {
    if ((error as { code?: string }).code !== DATABASE_MISSING) throw error;
    throw new CommandError(`DATABASE_MIGRATION_URL: ${(error as Error).message}.`);
  } finally {
    rmSync(partial, { force: true });
  }
}

/**
 * Restores an archive into an empty database, which is created if possible, and compares counts and audit chains.
 * Returns the restored contents and the differences.
 * @throws CommandError before anything is changed, or after a rolled back restore
 */
export async function restore(
  url: string,
  file: string,
): Promise<{ contents: DatabaseContents; differences: string[] }> {
  const { server, pgDump, sha256, contents: expected } = readManifest(file);
  if (!existsSync(file)) throw new CommandError(`${file} does not exist.`);
  if ((await sha256Of(file)) !== sha256) throw new CommandError(`${file} is damaged: its SHA-256 differs.`);
  await findProgram('pg_restore', majorOf(pgDump));
  const missingRole = await prepareTarget(url, majorOf(server));
  if (missingRole) await withOwner(url, (session) => session.query(`CREATE ROLE ${APP_ROLE} NOLOGIN`));
  const list = `${file}.list`;
  try {
    const entries = (await run('pg_restore', ['--list', file])).split('\n');
    writeFileSync(list, entries.filter((line) => !OWNERS_ENTRY.test(line)).join('\n'));
    await runOnDatabase('pg_restore', url, [
      '--single-transaction',
      '--exit-on-error',
      '--no-owner',
      `--use-list=${list}`,
      file,
    ]);
  } finally {
    rmSync(list, { force: true });
  }
  const contents = await withOwner(url, async (session) => {
    await session.query(DEFAULT_PRIVILEGES);
    await session.query('ANALYZE');
    return readContents(session);
  });
  return { contents, differences: findDifferences(expected, contents) };
}

function readManifest(file: string): z.output<typeof manifestSchema> {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(manifestFile(file), 'utf8')));
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? 'is missing'
        : 'is not a manifest of tollgate backup';
    throw new CommandError(`${manifestFile(file)} ${reason}. Keep it next to the archive.`);
  }
}

/** Creates the database if it is missing. Returns whether the application's role is. */
async function prepareTarget(url: string, sourceMajor: number): Promise<boolean> {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  try {
    return await withOwner(url, (session) => checkTarget(session, database, sourceMajor));
  } catch (error) {
    if ((error as { code?: string }).code !== DATABASE_MISSING) throw error;
  }
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  return await withOwner(maintenance.toString(), async (session) => {
    const missingRole = await checkTarget(session, undefined, sourceMajor);
    await session.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`).catch((error: Error) => {
      throw new CommandError(
        `The database ${database} does not exist, and the login may not create it (${error.message}). Have a DBA create it.`,
      );
    });
    return missingRole;
  });
}

/** Returns whether the application's role is missing. @param database undefined: it does not exist yet */
async function checkTarget(
  session: pg.Client,
  database: string | undefined,
  sourceMajor: number,
): Promise<boolean> {
  const server = await serverVersion(session);
  if (majorOf(server) < sourceMajor)
    throw new CommandError(
      `The backup is from Postgres ${sourceMajor}. Restore it into the same version or a newer one.`,
    );
  if (database !== undefined) {
    const tables = await session.query("SELECT FROM pg_tables WHERE schemaname = 'public' LIMIT 1");
    if (tables.rows.length > 0)
      throw new CommandError(`The database ${database} contains tables. Restore into a new one.`);
  }
  const found = await session.query(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = '${APP_ROLE}') AS "hasRole",
      (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = session_user) AS "mayCreate"`,
  );
  const { hasRole, mayCreate } = found.rows[0];
  if (!hasRole && !mayCreate)
    throw new CommandError(
      `The server has no role ${APP_ROLE}. Have a DBA run: CREATE ROLE ${APP_ROLE} NOLOGIN;`,
    );
  return !hasRole;
}

/** Refuses a login that row-level security hides rows from: its dump would be incomplete. */
async function refuseBlindLogin(session: pg.Client): Promise<void> {
  const found = await session.query(`
    SELECT current_setting('is_superuser') = 'on' OR pg_has_role(relowner, 'USAGE') AS "isOwner" FROM pg_class
    WHERE oid = to_regclass('public._prisma_migrations')`);
  if (found.rows.length === 0) throw new CommandError('The database contains no tables of Tollgate.');
  if (found.rows[0].isOwner === true) return;
  throw new CommandError(
    'The login of DATABASE_MIGRATION_URL does not own the tables: it would not see all rows.',
  );
}

async function serverVersion(session: pg.Client): Promise<string> {
  return (await session.query("SELECT split_part(current_setting('server_version'), ' ', 1) AS version"))
    .rows[0].version;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
