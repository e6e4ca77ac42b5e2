/** A Postgres address split the way Prisma reads it. */
export interface PostgresAddress {
  /** Without the parameters that are Prisma's own and that a driver would refuse. */
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

/** Splits an address; the schema is `public` and the database `postgres` where it names none. */
export function splitPostgresUrl(address: string): PostgresAddress {
  const url = new URL(address);
  const schema = url.searchParams.get('schema') ?? 'public';
  for (const name of PRISMA_PARAMETERS) url.searchParams.delete(name);
  return { url, schema, database: decodeURIComponent(url.pathname.slice(1)) || 'postgres' };
}

/** The same server, user and options with another database. */
export function withDatabase(address: string, database: string): string {
  const { url } = splitPostgresUrl(address);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.toString();
}
