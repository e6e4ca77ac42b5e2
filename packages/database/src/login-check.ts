/** Role with the application's table privileges; each transaction of the application switches to it. */
export const APP_ROLE = 'tollgate_app';

/** As in `server_version_num`. */
const OLDEST_POSTGRES = 150_000;

export interface LoginCheck {
  login: string;
  /** Why the process cannot run with it. */
  blockers: string[];
  /** Why row-level security does not restrict it. */
  problems: string[];
}

/** Checks version, role and login at start. @param query runs SQL as that login */
export async function checkLogin(query: (sql: string) => Promise<readonly object[]>): Promise<LoginCheck> {
  const [row] = (await query(LOGIN_FACTS)) as unknown as LoginFacts[];
  if (row === undefined) throw new Error('Postgres did not describe the login');
  const { login, attributes, strong, owners, readsKeys, temporary } = row;
  const problems = [
    ...attributes.map((attribute) => `has the attribute ${attribute}`),
    ...strong.map((role) => `is a member of ${role}, which is not held to row-level security`),
    ...owners.map((role) => `owns tables of Tollgate, or is a member of ${role}, which does`),
    ...(readsKeys ? ['may read or write the table scope_key, so it can sign any scope'] : []),
    ...(temporary ? ['may create temporary tables, which hide those of Tollgate from later queries'] : []),
  ];
  return { login, blockers: blockersOf(row), problems };
}

function blockersOf({ login, version, versionNumber, hasRole, maySetRole }: LoginFacts): string[] {
  const old = describeOldVersion(version, versionNumber);
  if (old !== undefined) return [old];
  if (!hasRole) return [`The database has no role ${APP_ROLE}. Run setup.`];
  if (maySetRole) return [];
  return [
    `The login ${login} may not switch to the role ${APP_ROLE}. Run setup; it grants the role or prints the SQL.`,
  ];
}

/** Undefined: Postgres is new enough. */
export function describeOldVersion(version: string, versionNumber: number): string | undefined {
  if (versionNumber >= OLDEST_POSTGRES) return undefined;
  return `Postgres ${version} is not supported. Upgrade to 15 or newer.`;
}

/** SQL condition whether `login` may switch to a role; Postgres 15 does not separate that from membership. */
export function maySetRole(login: string, role: string): string {
  return `pg_has_role(${login}, ${role}, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)`;
}

/** SQL array of the attributes with which a role bypasses row-level security; of a superuser, only SUPERUSER. */
export function attributesOf(role: string): string {
  const others = ['BYPASSRLS', 'CREATEROLE', 'REPLICATION'].map(
    (name) => `CASE WHEN ${role}.rol${name.toLowerCase()} THEN '${name}' END`,
  );
  return `CASE WHEN ${role}.rolsuper THEN ARRAY['SUPERUSER'] ELSE array_remove(ARRAY[${others.join(', ')}], NULL) END`;
}

interface LoginFacts {
  login: string;
  version: string;
  versionNumber: number;
  hasRole: boolean;
  maySetRole: boolean;
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
    current_setting('server_version') AS "version", current_setting('server_version_num')::int AS "versionNumber",
    EXISTS (SELECT FROM pg_roles WHERE rolname = '${APP_ROLE}') AS "hasRole",
    coalesce((SELECT ${maySetRole('me.oid', 'oid')} FROM pg_roles WHERE rolname = '${APP_ROLE}'), false) AS "maySetRole",
    ${attributesOf('me')} AS "attributes",
    CASE WHEN rolsuper THEN '{}' ELSE ARRAY(SELECT rolname::text FROM reached WHERE rolsuper OR rolbypassrls OR rolcreaterole
      OR rolreplication OR rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
      ORDER BY 1) END AS "strong",
    CASE WHEN rolsuper THEN '{}' ELSE ARRAY(SELECT DISTINCT o.rolname::text FROM pg_class c JOIN pg_roles o ON o.oid = c.relowner
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND pg_has_role(me.oid, c.relowner, 'MEMBER') ORDER BY 1) END AS "owners",
    NOT rolsuper AND coalesce(has_table_privilege(me.oid, to_regclass('public.scope_key'), 'SELECT, INSERT, UPDATE, DELETE'), false)
      AS "readsKeys",
    NOT rolsuper AND has_database_privilege(me.oid, current_database(), 'TEMPORARY') AS "temporary"
  FROM me`;
