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

/** Same server and database. */
export function withLogin(address: string, user: string, password: string): string {
  const url = new URL(address);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  return url.toString();
}

export function userOf(address: string): string {
  return decodeURIComponent(new URL(address).username);
}

const require = createRequire(import.meta.url);

/** The copy of `pg` that adapter-pg tests pools against with instanceof. */
export const pg = createRequire(require.resolve('@prisma/adapter-pg'))('pg') as typeof Pg;

const CONNECT_LIMIT_MS = 10_000;

/** Runs one statement in a new session. @throws pg's DatabaseError with its SQLSTATE in `code` */
export function runStatement(url: string, sql: string, database?: string): Promise<Pg.QueryResult> {
  return withSession(url, (session) => session.query(sql), database);
}

/** Runs `work` in a new session. */
export async function withSession<T>(
  url: string,
  work: (session: Pg.Client) => Promise<T>,
  database?: string,
): Promise<T> {
  const connectionString =
    database === undefined ? splitPostgresUrl(url).url.toString() : withDatabase(url, database);
  const session = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  session.on('error', () => undefined); // without a listener it would end the process; the statement fails
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}

/** SQLSTATE or system error code; empty: none. */
export const DATABASE_MISSING = '3D000';

export function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? '';
}
