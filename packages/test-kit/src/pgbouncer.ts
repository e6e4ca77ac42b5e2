import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOnPort, startOwnedService } from '@tollgate/embedded';

/** Postgres behind a pooler. */
export interface TestPgBouncer {
  /** The same login and database through PgBouncer. */
  through(postgresUrl: string): string;
  stop(): Promise<void>;
}

interface PgBouncerOptions {
  /** Server connections per database and login. */
  poolSize: number;
  mode?: 'transaction' | 'statement';
}

/**
 * Starts the `pgbouncer` on PATH in front of the server of `postgresUrl`, for all its databases and the logins of `users`.
 * @param users addresses with login and password
 */
export async function startPgBouncer(
  postgresUrl: string,
  users: readonly string[],
  options: PgBouncerOptions,
): Promise<TestPgBouncer> {
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-pgbouncer-'));
  chmodSync(home, 0o755); // for the user `nobody`
  const server = new URL(postgresUrl);
  const file = (name: string, lines: readonly string[]) => {
    writeFileSync(path.join(home, name), `${lines.join('\n')}\n`, { mode: 0o644 });
    return path.join(home, name);
  };
  const quoted = (text: string) => `"${decodeURIComponent(text).replaceAll('"', '""')}"`;
  const logins = users
    .map((user) => new URL(user))
    .map(({ username, password }) => `${quoted(username)} ${quoted(password)}`);
  const configFor = (port: number) =>
    file('pgbouncer.ini', [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${file('users.txt', logins)}`,
      `pool_mode = ${options.mode ?? 'transaction'}`,
      `default_pool_size = ${options.poolSize}`,
      'max_client_conn = 1000',
    ]);
  const bouncer = await startOnPort(undefined, (port) =>
    startOwnedService(home, {
      name: 'PgBouncer',
      command: 'pgbouncer',
      args: [configFor(port)],
      ...ordinaryUser(),
      logFile: path.join(home, 'log'),
      isReady: (log) => log.includes('process up'),
      stopSignal: 'SIGTERM',
    }),
  );
  return {
    through: (url) => {
      const address = new URL(url);
      address.port = String(bouncer.port);
      return address.toString();
    },
    stop: async () => {
      await bouncer.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
function ordinaryUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}
