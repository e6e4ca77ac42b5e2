import { createRequire } from 'node:module';
import type Pg from 'pg';
import { splitPostgresUrl, withDatabase } from './postgres-url.js';

const require = createRequire(import.meta.url);

/** The very copy of `pg` that adapter-pg tests pools against with instanceof. */
export const pg = createRequire(require.resolve('@prisma/adapter-pg'))('pg') as typeof Pg;

const CONNECT_LIMIT_MS = 10_000;

/**
 * Runs one statement on a session of its own: on the database of `url`, or on `database` of the same server.
 * @throws pg's DatabaseError with its SQLSTATE in `code`.
 */
export async function runStatement(url: string, sql: string, database?: string): Promise<Pg.QueryResult> {
  const connectionString =
    database === undefined ? splitPostgresUrl(url).url.toString() : withDatabase(url, database);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** `CREATE` or `DROP` of the database that `url` names, through the maintenance database. */
export async function runOnDatabase(verb: 'CREATE' | 'DROP', url: string): Promise<void> {
  const name = pg.escapeIdentifier(splitPostgresUrl(url).database);
  await runStatement(url, `${verb} DATABASE ${name}`, 'postgres');
}
