import { codeOf, pg, runStatement, splitPostgresUrl } from './schema-engine/postgres-driver.js';
import { type ScopeKey, scopeKeyOf } from './scope-signature.js';

/** Role with the application's table privileges, created by the migrations or a DBA; logins are its members. */
export const APP_ROLE = 'tollgate_app';

const NO_SUCH_LOGIN = ['28P01', '28000'];
const NOT_PERMITTED = '42501';
const ALREADY_EXISTS = ['42710', '23505'];

/**
 * Creates the login of `appUrl` if it is missing, sets its password, and stores the keys that verify scopes.
 * Idempotent.
 * @param ownerUrl login that ran the migrations; without CREATEROLE, the login of `appUrl` must exist
 * @param scopeSecrets their signatures are accepted, no others
 * @throws Error with the SQL for a DBA if the owner may not create or change the login
 */
export async function prepareApplication(
  ownerUrl: string,
  appUrl: string,
  scopeSecrets: readonly string[],
): Promise<void> {
  if (userOf(ownerUrl) !== userOf(appUrl) && !(await canLogIn(appUrl))) await createLogin(ownerUrl, appUrl);
  await runStatement(ownerUrl, `${revokeTemporary(ownerUrl)}; ${replaceKeys(scopeSecrets.map(scopeKeyOf))}`);
}

/** Reasons why a login bypasses row-level security. @param query runs SQL as that login */
export async function findLoginProblems(
  query: (sql: string) => Promise<readonly object[]>,
): Promise<{ login: string; problems: string[] }> {
  const [row] = (await query(LOGIN_FACTS)) as unknown as LoginFacts[];
  if (row === undefined) throw new Error('Postgres did not describe the login');
  const { login, attributes, strong, owners, readsKeys, temporary } = row;
  const problems = [
    ...attributes.map((attribute) => `it has the attribute ${attribute}`),
    ...strong.map((role) => `it is a member of ${role}, which is not held to row-level security`),
    ...owners.map((role) => `it owns tables of Tollgate, or is a member of ${role}, which does`),
    ...(readsKeys ? ['it may read or write the table scope_key, so it can sign any scope'] : []),
    ...(temporary ? ['it may create temporary tables, which hide those of Tollgate from later queries'] : []),
  ];
  return { login, problems };
}

export function loginSql(login: string): string {
  const name = pg.escapeIdentifier(login);
  return [
    `CREATE ROLE ${APP_ROLE} NOLOGIN;  -- unless it exists`,
    `CREATE ROLE ${name} LOGIN PASSWORD '…' NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;`,
    `GRANT ${APP_ROLE} TO ${name};`,
  ].join('\n');
}

export function withLogin(address: string, user: string, password: string): string {
  const url = new URL(address);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  return url.toString();
}

interface LoginFacts {
  login: string;
  attributes: string[];
  strong: string[];
  owners: string[];
  readsKeys: boolean;
  temporary: boolean;
}

/** CREATEROLE: before Postgres 16 it may grant any role but superusers. REPLICATION reads all files. */
const LOGIN_FACTS = `
  WITH me AS (SELECT * FROM pg_roles WHERE rolname = session_user),
  reached AS (SELECT r.* FROM pg_roles r, me WHERE r.oid <> me.oid AND pg_has_role(me.oid, r.oid, 'MEMBER'))
  SELECT me.rolname::text AS "login",
    array_remove(ARRAY[
      CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolbypassrls THEN 'BYPASSRLS' END,
      CASE WHEN rolcreaterole THEN 'CREATEROLE' END, CASE WHEN rolreplication THEN 'REPLICATION' END], NULL) AS "attributes",
    CASE WHEN rolsuper THEN '{}' ELSE ARRAY(SELECT rolname::text FROM reached WHERE rolsuper OR rolbypassrls OR rolcreaterole
      OR rolreplication OR rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
      ORDER BY 1) END AS "strong",
    CASE WHEN rolsuper THEN '{}' ELSE ARRAY(SELECT DISTINCT o.rolname::text FROM pg_class c JOIN pg_roles o ON o.oid = c.relowner
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND pg_has_role(me.oid, c.relowner, 'MEMBER') ORDER BY 1) END AS "owners",
    NOT rolsuper AND has_table_privilege(me.oid, 'public.scope_key', 'SELECT, INSERT, UPDATE, DELETE') AS "readsKeys",
    NOT rolsuper AND has_database_privilege(me.oid, current_database(), 'TEMPORARY') AS "temporary"
  FROM me`;

async function canLogIn(url: string): Promise<boolean> {
  try {
    await runStatement(url, 'SELECT 1');
    return true;
  } catch (error) {
    if (NO_SUCH_LOGIN.includes(codeOf(error))) return false;
    throw error;
  }
}

async function createLogin(ownerUrl: string, appUrl: string): Promise<void> {
  const login = userOf(appUrl);
  const name = pg.escapeIdentifier(login);
  const password = `PASSWORD ${pg.escapeLiteral(decodeURIComponent(new URL(appUrl).password))}`;
  try {
    await runStatement(ownerUrl, `CREATE ROLE ${name} LOGIN ${password}`).catch((error) => {
      if (!ALREADY_EXISTS.includes(codeOf(error))) throw error;
      return runStatement(ownerUrl, `ALTER ROLE ${name} LOGIN ${password}`);
    });
    await runStatement(ownerUrl, `GRANT ${APP_ROLE} TO ${name}`);
  } catch (error) {
    if (codeOf(error) !== NOT_PERMITTED) throw error;
    throw new Error(
      `DATABASE_URL names the login ${login}, which cannot log in, and ${userOf(ownerUrl)} may not create or change it ` +
        `(${(error as Error).message}). Have a DBA run:\n${loginSql(login)}`,
      { cause: error },
    );
  }
}

/** A temporary table would hide the real table from the next user of the connection. */
function revokeTemporary(url: string): string {
  const database = pg.escapeIdentifier(splitPostgresUrl(url).database);
  return `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`;
}

function replaceKeys(keys: readonly ScopeKey[]): string {
  const hex = (bytes: Buffer) => `'\\x${bytes.toString('hex')}'`;
  const rows = keys.map(({ id, innerPad, outerPad }) => `('${id}', ${hex(innerPad)}, ${hex(outerPad)})`);
  const ids = keys.map(({ id }) => `'${id}'`).join(', ');
  return (
    `INSERT INTO scope_key (id, inner_pad, outer_pad) VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING; ` +
    `DELETE FROM scope_key WHERE id NOT IN (${ids})`
  );
}

function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
