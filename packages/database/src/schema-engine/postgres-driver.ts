import { createRequire } from 'node:module';
import type Pg from 'pg';

export interface PostgresAddress {
  /** Without Prisma's own parameters, which drivers reject. */
  url: URL;
  database: string;
  schema: string;
}

const PRISMA_PARAMETERS = [
  'schema',
  'connection_limit',
  'pool_timeout',
  'connect_timeout',
  'socket_timeout',
  'pgbouncer',
];

/** Default schema `public`, default database `postgres`. */
export function splitPostgresUrl(address: string): PostgresAddress {
  const url = new URL(address);
  const schema = url.searchParams.get('schema') ?? 'public';
  for (const name of PRISMA_PARAMETERS) url.searchParams.delete(name);
  return { url, schema, database: decodeURIComponent(url.pathname.slice(1)) || 'postgres' };
}

/** Same server, user and options. */
export function withDatabase(address: string, database: string): string {
  const { url } = splitPostgresUrl(address);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.toString();
}

const require = createRequire(import.meta.url);

/** The copy of `pg` that adapter-pg tests pools against with instanceof. */
export const pg = createRequire(require.resolve('@prisma/adapter-pg'))('pg') as typeof Pg;

const CONNECT_LIMIT_MS = 10_000;

/** Runs one statement in a new session. @throws pg's DatabaseError with its SQLSTATE in `code` */
export async function runStatement(url: string, sql: string, database?: string): Promise<Pg.QueryResult> {
  const connectionString =
    database === undefined ? splitPostgresUrl(url).url.toString() : withDatabase(url, database);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  client.on('error', () => undefined); // without a listener it would end the process; the statement fails
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** SQLSTATE or system error code; empty: none. */
export function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? '';
}
