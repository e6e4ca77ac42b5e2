import { spawn } from 'node:child_process';
import pg from 'pg';
import { CommandError } from '../connection.js';

/** The owner's own tools may claim this scope: row-level security then shows and accepts all rows. */
const SCOPE = { name: 'tollgate.scope', value: 'all' };

const CONNECT_LIMIT_MS = 10_000;

/** SQLSTATE of a database that does not exist. */
export const DATABASE_MISSING = '3D000';

/** Runs `work` in a session of the owner of the tables. @throws CommandError without a connection */
export async function withOwner<T>(url: string, work: (session: pg.Client) => Promise<T>): Promise<T> {
  const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  session.on('error', () => undefined); // its statements fail
  try {
    await session.connect();
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    if (code === DATABASE_MISSING) throw error;
    const { hostname, port } = new URL(url);
    throw new CommandError(
      `DATABASE_MIGRATION_URL: no connection to ${hostname}:${port || 5432} (${message || code}).`,
    );
  }
  try {
    await session.query(`SELECT set_config('${SCOPE.name}', '${SCOPE.value}', false)`);
    return await work(session);
  } finally {
    await session.end();
  }
}

export function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

/** Version of `pg_dump` or `pg_restore` on PATH, such as 18.4. @throws CommandError if it is older than `atLeast` */
export async function findProgram(name: string, atLeast: number): Promise<string> {
  const version = await run(name, ['--version']).then(
    (output) => /(\d+(\.\d+)?)/.exec(output)?.[1] ?? '',
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new CommandError(
        `${name} was not found. Install the client programs of Postgres ${atLeast} or newer.`,
      );
    },
  );
  if (majorOf(version) >= atLeast) return version;
  throw new CommandError(
    `${name} ${version} is too old for Postgres ${atLeast}. Install the client programs of Postgres ${atLeast} or newer, and put them first in PATH.`,
  );
}

/** Runs a Postgres client program on the database of `url`. The password is not on the command line. */
export function runOnDatabase(name: string, url: string, args: readonly string[]): Promise<string> {
  const address = new URL(url);
  const { password } = address;
  address.password = '';
  return run(name, ['--no-password', '--dbname', address.toString(), ...args], {
    ...(password === '' ? {} : { PGPASSWORD: decodeURIComponent(password) }),
    PGOPTIONS: `-c ${SCOPE.name}=${SCOPE.value}`,
  });
}

/** Returns the standard output. @throws CommandError with the first error line of the program */
export function run(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve(output);
      const lines = errors.trim().split('\n');
      const reason = lines.find((line) => line.includes('error:')) ?? lines.at(-1);
      reject(new CommandError(`${name} failed: ${reason || `exit code ${code}`}`));
    });
  });
}
