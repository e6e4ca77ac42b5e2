import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** How to run Postgres, which refuses to run as root, without creating a user. */
export interface PostgresAccount {
  /** Wraps a command line; the process id stays the same. */
  wrap(command: string, args: string[]): [string, string[]];
  /** Set when the child itself must change user: its files have to belong to this account. */
  uid?: number;
  gid?: number;
}

/**
 * Finds the account for this machine: the caller's own; for root the owner of the data directory, when that is another
 * user; else a user namespace in which root's files look like `nobody`'s; where namespaces are forbidden (some
 * containers) `nobody` itself, which must be able to reach the data directory and node_modules.
 */
export function findPostgresAccount(dataDir: string): PostgresAccount {
  const plain = (command: string, args: string[]): [string, string[]] => [command, args];
  if (process.getuid?.() !== 0) return { wrap: plain };
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { wrap: plain, uid: owner.uid, gid: owner.gid };
  const uid = lookUp('-u');
  const gid = lookUp('-g');
  const namespace = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  if (spawnSync('unshare', [...namespace, 'true']).status === 0) {
    return { wrap: (command, args) => ['unshare', [...namespace, command, ...args]] };
  }
  return { wrap: plain, uid, gid };
}

function lookUp(flag: '-u' | '-g'): number {
  const id = Number.parseInt(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout ?? '', 10);
  return Number.isNaN(id) ? 65_534 : id;
}
