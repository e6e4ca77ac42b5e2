import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How to run Postgres, which refuses to run as root, without creating a user. */
export interface PostgresAccount {
  /** The process id stays the same. */
  wrap(command: string, args: string[]): [string, string[]];
  /** The child must change to this user, who owns its files. */
  ids?: { uid: number; gid: number };
}

/**
 * The caller's account; for root: the owner of the data directory, else a user namespace that maps root to `nobody`,
 * else `nobody` itself, who must reach the data directory and node_modules.
 */
export function findPostgresAccount(dataDir: string): PostgresAccount {
  const plain = (command: string, args: string[]): [string, string[]] => [command, args];
  if (process.getuid?.() !== 0) return { wrap: plain };
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { wrap: plain, ids: { uid: owner.uid, gid: owner.gid } };
  const uid = lookUp('-u');
  const gid = lookUp('-g');
  const namespace = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  if (spawnSync('unshare', [...namespace, 'true']).status === 0) {
    return { wrap: (command, args) => ['unshare', [...namespace, command, ...args]] };
  }
  return { wrap: plain, ids: { uid, gid } };
}

function lookUp(flag: '-u' | '-g'): number {
  const id = Number.parseInt(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout ?? '', 10);
  return Number.isNaN(id) ? 65_534 : id;
}

interface ClusterOptions {
  dataDir: string;
  password: string;
  durable: boolean;
}

const STRAGGLER_LIMIT_MS = 10_000;

export function initialiseCluster(initdb: string, account: PostgresAccount, options: ClusterOptions): void {
  const { dataDir, password, durable } = options;
  if (existsSync(path.join(dataDir, 'PG_VERSION'))) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const secretDir = mkdtempSync(path.join(tmpdir(), 'tollgate-initdb-'));
  const passwordFile = path.join(secretDir, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const { ids } = account;
  if (ids !== undefined)
    for (const file of [dataDir, secretDir, passwordFile]) chownSync(file, ids.uid, ids.gid);
  const flags = ['-D', dataDir, '-U', 'postgres', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'];
  const locale = ['--encoding=UTF8', '--locale=C', ...(durable ? [] : ['--no-sync'])];
  const [command, args] = account.wrap(initdb, [...flags, ...locale]);
  const result = spawnSync(command, args, { encoding: 'utf8', ...ids });
  rmSync(secretDir, { recursive: true, force: true });
  if (result.status === 0) return;
  // Later starts would reject an incomplete cluster.
  rmSync(dataDir, { recursive: true, force: true });
  throw new Error(
    `initdb failed in ${dataDir}: ${result.stderr || String(result.error)}${accountHint(account)}`,
  );
}

/**
 * Removes the lock file of a killed server: Postgres may take another process with the same id for it. On Linux, waits
 * for backends of the dead server that still write.
 * @throws Error when a process still uses the directory after ten seconds
 */
export async function clearStaleLock(dataDir: string): Promise<void> {
  const lockFile = path.join(dataDir, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const deadline = Date.now() + STRAGGLER_LIMIT_MS;
  for (;;) {
    const users = processesIn(dataDir);
    if (users === undefined) return; // not Linux: leave it to Postgres' own check
    if (users.length === 0) break;
    if (Date.now() > deadline) {
      const holder = readFileSync(lockFile, 'utf8').split('\n')[0];
      throw new Error(
        `${dataDir} is in use by process ${users.join(', ')} (lock file of ${holder}): stop it first`,
      );
    }
    await delay(50);
  }
  rmSync(lockFile, { force: true });
}

/** Processes with this working directory: a server and its backends. Undefined without /proc. */
function processesIn(dir: string): number[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const target = realpathSync(dir);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === target;
      } catch {
        return false; // ended meanwhile, not reaped, or another user's
      }
    });
}

function accountHint(account: PostgresAccount): string {
  if (account.ids === undefined) return '';
  return (
    '\nPostgres cannot run as root, and this machine forbids user namespaces, so it runs as the user `nobody`, who must ' +
    'be able to enter the data directory and node_modules. Run as an ordinary user, or set DATABASE_URL.'
  );
}
