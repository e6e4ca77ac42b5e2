import type Pg from 'pg';
import { APP_ROLE, attributesOf, describeOldVersion, maySetRole } from './login-check.js';
import { migrateDeploy } from './migrations.js';
import {
  codeOf,
  DATABASE_MISSING,
  pg,
  runStatement,
  splitPostgresUrl,
  userOf,
  withLogin,
  withSession,
} from './schema-engine/postgres-driver.js';
import { type ScopeKey, scopeKeyOf } from './scope-signature.js';

/** Setup cannot proceed; the message names the fix. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}

export interface Deployment {
  /** Owner of the tables, connected without a pooler. */
  ownerUrl: string;
  /** The application's login, created if it is missing. */
  appUrl: string;
  migrationsDir: string;
  /** Their signatures are accepted, no others. */
  scopeSecrets: readonly string[];
  /** Refuses a login of the application that row-level security does not restrict. */
  requiresRestrictedLogin?: boolean;
  /** Applies migrations again that failed and were rolled back. */
  resolve?: boolean;
}

/**
 * Prepares roles and login, applies missing migrations and stores the keys that verify scopes. Idempotent. Returns the
 * names of the applied migrations.
 * @throws DeploymentError
 */
export async function deployDatabase(deployment: Deployment): Promise<string[]> {
  const { ownerUrl, migrationsDir, scopeSecrets } = deployment;
  const hadDatabase = await prepareRoles(deployment);
  const applied = await migrate(ownerUrl, migrationsDir);
  if (!hadDatabase) await runStatement(ownerUrl, revokeTemporary(ownerUrl));
  await runStatement(ownerUrl, replaceKeys(scopeSecrets.map(scopeKeyOf)));
  return applied;
}

async function migrate(ownerUrl: string, migrationsDir: string): Promise<string[]> {
  try {
    return await migrateDeploy(ownerUrl, migrationsDir);
  } catch (error) {
    // Without a connection or the table of migrations, the error itself is the cause.
    const failed = await withSession(ownerUrl, findFailedMigration).catch(() => undefined);
    if (failed === undefined) throw error;
    throw new DeploymentError(`${failedText(failed)}\n${(error as Error).message}`, { cause: error });
  }
}

/** A script without its own COMMIT is one transaction, so Postgres rolled it back. */
async function findFailedMigration(session: Pg.Client): Promise<string | undefined> {
  const found = await session.query(`
    SELECT "migration_name" AS "name" FROM "_prisma_migrations"
    WHERE "finished_at" IS NULL AND "rolled_back_at" IS NULL LIMIT 1`);
  return found.rows[0]?.name;
}

function failedText(migration: string): string {
  return `The migration ${migration} failed and was rolled back. Fix the cause, then run setup --resolve.`;
}

const NOT_PERMITTED = '42501';
/** 08P01: from a pooler. */
const REJECTED_LOGIN = ['28P01', '28000', '08P01'];
/** Another setup makes the same change. */
const CONCURRENT = /already exists|duplicate key|tuple concurrently/;
const ATTEMPTS = 5;

interface ServerFacts {
  version: string;
  versionNumber: number;
  backend: number;
  mayCreateDatabase: boolean;
  hasRole: boolean;
  /** Attributes of the role that bypass row-level security. */
  roleAttributes: string[];
  hasLogin: boolean;
  loginAttributes: string[];
  mayUseRole: boolean;
  mayCreateTables: boolean;
  ownsDatabase: boolean;
  /** Postgres can install `pg_trgm`, which a migration does. */
  offersTrigrams: boolean;
  /** Everybody may create temporary tables, which would hide the real ones from the next user of the connection. */
  hasTemporary: boolean;
  tableOwner: string | null;
  ownsTables: boolean;
}

/** A missing part and the SQL that adds it. */
interface MissingPart {
  sql: string;
  /** Without the password. */
  shown: string;
  /** The owner cannot add it in a transaction. */
  isForDba: boolean;
}

/** Creates the role and the application's login where they are missing, all or nothing. Returns whether the database existed. */
async function prepareRoles(deployment: Deployment): Promise<boolean> {
  const { ownerUrl, appUrl, requiresRestrictedLogin = false, resolve = false } = deployment;
  const rejection = await findRejection('DATABASE_MIGRATION_URL', ownerUrl);
  if (rejection !== undefined && codeOf(rejection) !== DATABASE_MISSING)
    throw new DeploymentError(`DATABASE_MIGRATION_URL: ${rejection.message}.`);
  const hasDatabase = rejection === undefined;
  const prepare = async (session: Pg.Client) => {
    const facts = await readFacts(session, userOf(appUrl));
    refuseUnfit(session, facts, ownerUrl);
    if (requiresRestrictedLogin) refuseUnrestricted(facts, ownerUrl, appUrl);
    const failed = facts.tableOwner === null ? undefined : await findFailedMigration(session);
    if (failed !== undefined && !resolve) throw new DeploymentError(failedText(failed));
    const canLogIn = await isKnownLogin(appUrl, ownerUrl);
    await addMissing(session, facts, { ownerUrl, appUrl, hasDatabase, canLogIn });
    if (failed !== undefined) await session.query(MARK_ROLLED_BACK);
  };
  for (let attempt = 1; ; attempt++) {
    try {
      await withSession(ownerUrl, prepare, hasDatabase ? undefined : 'postgres');
      break;
    } catch (error) {
      if (attempt === ATTEMPTS || !CONCURRENT.test((error as Error).message)) throw error;
    }
  }
  if (hasDatabase) await refuseUnknownToPooler(appUrl, ownerUrl);
  return hasDatabase;
}

const MARK_ROLLED_BACK = `
  UPDATE "_prisma_migrations" SET "rolled_back_at" = now() WHERE "finished_at" IS NULL AND "rolled_back_at" IS NULL`;

interface Given {
  ownerUrl: string;
  appUrl: string;
  hasDatabase: boolean;
  canLogIn: boolean;
}

async function addMissing(session: Pg.Client, facts: ServerFacts, given: Given): Promise<void> {
  const missing = missingParts(facts, given);
  if (missing.length === 0) return;
  if (missing.some(({ isForDba }) => isForDba)) throw needsDba(given.ownerUrl, missing);
  try {
    await session.query(`BEGIN; ${missing.map(({ sql }) => sql).join('; ')}`);
    // Postgres only warns of some statements that it does not permit.
    const changed = await readFacts(session, userOf(given.appUrl));
    if (missingParts(changed, { ...given, canLogIn: true }).length > 0)
      throw needsDba(given.ownerUrl, missing);
    await session.query('COMMIT');
  } catch (error) {
    throw codeOf(error) === NOT_PERMITTED ? needsDba(given.ownerUrl, missing) : error;
  }
}

function missingParts(facts: ServerFacts, given: Given): MissingPart[] {
  const [owner, login, database] = [
    userOf(given.ownerUrl),
    userOf(given.appUrl),
    splitPostgresUrl(given.ownerUrl).database,
  ].map((name) => pg.escapeIdentifier(name)) as [string, string, string];
  const password = pg.escapeLiteral(decodeURIComponent(new URL(given.appUrl).password));
  const part = (sql: string, more: Partial<MissingPart> = {}) => ({
    sql,
    shown: sql,
    isForDba: false,
    ...more,
  });
  const parts: MissingPart[] = [];
  if (!given.hasDatabase && !facts.mayCreateDatabase)
    parts.push(part(`CREATE DATABASE ${database} OWNER ${owner}`, { isForDba: true }));
  if (!facts.hasRole) parts.push(part(`CREATE ROLE ${APP_ROLE} NOLOGIN`));
  if (!given.canLogIn) {
    const sql = `${facts.hasLogin ? 'ALTER' : 'CREATE'} ROLE ${login} LOGIN PASSWORD `;
    parts.push(part(`${sql}${password}`, { shown: `${sql}'…'` }));
  }
  if (!facts.mayUseRole)
    parts.push(
      part(`GRANT ${APP_ROLE} TO ${login}${facts.versionNumber >= 160_000 ? ' WITH SET TRUE' : ''}`),
    );
  if (!given.hasDatabase) return parts;
  const isForDba = true;
  if (!facts.ownsDatabase && (facts.hasTemporary || !facts.mayCreateTables))
    parts.push(part(`ALTER DATABASE ${database} OWNER TO ${owner}`, { isForDba }));
  else if (!facts.mayCreateTables)
    parts.push(part(`GRANT USAGE, CREATE ON SCHEMA public TO ${owner}`, { isForDba }));
  else if (facts.hasTemporary) parts.push(part(revokeTemporary(given.ownerUrl)));
  return parts;
}

/** Azure lists each extension as available, but creates only those in its setting. */
const OFFERS_TRIGRAMS = `
  (EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')
    OR EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')
      AND coalesce(lower(current_setting('azure.extensions', true)) ~ '\\mpg_trgm\\M', true))`;

async function readFacts(session: Pg.Client, login: string): Promise<ServerFacts> {
  const sql = `
    SELECT current_setting('server_version') AS "version", current_setting('server_version_num')::int AS "versionNumber",
      pg_backend_pid() AS "backend", me.rolsuper OR me.rolcreatedb AS "mayCreateDatabase",
      app.rolname IS NOT NULL AS "hasRole",
      ${attributesOf('app')} AS "roleAttributes",
      login.rolname IS NOT NULL AS "hasLogin", ${attributesOf('login')} AS "loginAttributes", coalesce(${maySetRole('login.oid', 'app.oid')}, false) AS "mayUseRole",
      has_schema_privilege('public', 'CREATE') AS "mayCreateTables",
      has_database_privilege('public', current_database(), 'TEMPORARY') AS "hasTemporary",
      ${OFFERS_TRIGRAMS} AS "offersTrigrams",
      (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()) AS "ownsDatabase",
      owner.rolname::text AS "tableOwner", coalesce(pg_has_role(owner.oid, 'USAGE'), false) AS "ownsTables"
    FROM pg_roles me LEFT JOIN pg_roles app ON app.rolname = '${APP_ROLE}' LEFT JOIN pg_roles login ON login.rolname = $1
      LEFT JOIN pg_class c ON c.oid = to_regclass('public._prisma_migrations') LEFT JOIN pg_roles owner ON owner.oid = c.relowner
    WHERE me.rolname = session_user`;
  return (await session.query(sql, [login])).rows[0];
}

function refuseUnrestricted(facts: ServerFacts, ownerUrl: string, appUrl: string): void {
  const isOwner = userOf(appUrl) === userOf(ownerUrl);
  const [attribute] = facts.loginAttributes;
  if (!isOwner && attribute === undefined) return;
  throw new DeploymentError(
    `DATABASE_URL: row-level security does not restrict ${userOf(appUrl)}, which ${isOwner ? 'owns the tables' : `has ${attribute}`}. ` +
      'Name another login there, which setup creates, and the owner in DATABASE_MIGRATION_URL.',
  );
}

function refuseUnfit(session: Pg.Client, facts: ServerFacts, ownerUrl: string): void {
  const old = describeOldVersion(facts.version, facts.versionNumber);
  if (old !== undefined) throw new DeploymentError(old);
  // A pooler sends its clients generated process ids.
  const { processID } = session as unknown as { processID: number | null };
  if (processID !== null && processID !== facts.backend) {
    throw new DeploymentError(
      `DATABASE_MIGRATION_URL: ${placeOf(ownerUrl)} is a connection pooler. Migrations need the address of Postgres itself.`,
    );
  }
  if (!facts.offersTrigrams) {
    throw new DeploymentError(
      'Postgres does not offer the extension pg_trgm. Install it (Debian: part of the server package; Red Hat: postgresql-contrib) or ' +
        'allow it (Azure: azure.extensions), then run setup again.',
    );
  }
  if (facts.roleAttributes.length > 0) {
    const attributes = facts.roleAttributes.map((attribute) => `NO${attribute}`).join(' ');
    throw new DeploymentError(
      `The role ${APP_ROLE} bypasses row-level security. Have a DBA run: ALTER ROLE ${APP_ROLE} ${attributes};`,
    );
  }
  if (facts.tableOwner !== null && !facts.ownsTables) {
    throw new DeploymentError(
      `The tables belong to ${facts.tableOwner}, not to ${userOf(ownerUrl)}. Use that login in DATABASE_MIGRATION_URL.`,
    );
  }
}

function needsDba(ownerUrl: string, missing: readonly MissingPart[]): DeploymentError {
  const sql = missing.map(({ shown }) => `${shown};`).join('\n');
  return new DeploymentError(
    `${userOf(ownerUrl)} may not prepare the database. Nothing was changed. Have a DBA run this, then run setup again:\n${sql}`,
  );
}

/**
 * Whether Postgres accepts the application's login. Checks directly: after a rejection, PgBouncer delays the next attempt
 * by 15 s. Only where Postgres accepts that login from the pooler alone, through the pooler.
 */
async function isKnownLogin(appUrl: string, ownerUrl: string): Promise<boolean> {
  if (userOf(appUrl) === userOf(ownerUrl)) return true;
  const direct = withLogin(ownerUrl, userOf(appUrl), decodeURIComponent(new URL(appUrl).password));
  const rejection = await findRejection('DATABASE_MIGRATION_URL', direct);
  if (isAccepted(rejection) || placeOf(appUrl) === placeOf(ownerUrl)) return isAccepted(rejection);
  return /pg_hba/.test(rejection?.message ?? '') && isAccepted(await findRejection('DATABASE_URL', appUrl));
}

async function refuseUnknownToPooler(appUrl: string, ownerUrl: string): Promise<void> {
  if (placeOf(appUrl) === placeOf(ownerUrl)) return;
  const rejection = await findRejection('DATABASE_URL', appUrl);
  if (isAccepted(rejection)) return;
  throw new DeploymentError(
    `DATABASE_URL: Postgres accepts the login ${userOf(appUrl)}, but ${placeOf(appUrl)} does not (${rejection?.message}). ` +
      'Add the login and the database to the configuration of the pooler, then run setup again.',
  );
}

function isAccepted(rejection: Error | undefined): boolean {
  return rejection === undefined || !REJECTED_LOGIN.includes(codeOf(rejection));
}

/** The error with which Postgres rejects a session. @throws DeploymentError if it cannot be reached */
async function findRejection(variable: string, url: string): Promise<Error | undefined> {
  try {
    await runStatement(url, 'SELECT 1');
    return undefined;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error;
    throw new DeploymentError(
      `${variable}: no connection to ${placeOf(url)} (${codeOf(error) || (error as Error).message}).`,
      {
        cause: error,
      },
    );
  }
}

function placeOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
}

function revokeTemporary(url: string): string {
  return `REVOKE TEMPORARY ON DATABASE ${pg.escapeIdentifier(splitPostgresUrl(url).database)} FROM PUBLIC`;
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
