import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Where Debian puts it, which is not on everybody's PATH. */
const COMMANDS = ['nginx', '/usr/sbin/nginx'];

const COMMAND = COMMANDS.find((command) => spawnSync(command, ['-v']).status === 0);

/**
 * Whether this machine has nginx. Suites that need it declare `describe.runIf(hasNginx)`; the global setup prints one line
 * when they are left out.
 */
export const hasNginx: boolean = COMMAND !== undefined;

export interface TestNginx {
  stop(): Promise<void>;
}

/**
 * Runs nginx with a configuration of its `http` block, in a folder of its own.
 * @param http with `listen` on a free port of 127.0.0.1
 * @param port that it listens on: it is waited for
 * @throws Error with what nginx says, when it ends or there is none
 */
export async function startNginx(http: string, port: number): Promise<TestNginx> {
  if (COMMAND === undefined) throw new Error('There is no nginx: install it (apt-get install nginx)');
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-test-nginx-'));
  const file = path.join(home, 'nginx.conf');
  writeFileSync(file, wrap(http, home));
  const child = spawn(COMMAND, ['-p', home, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    if (!hasEnded(child)) child.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  while (!(await isListening(port))) {
    if (hasEnded(child)) {
      await stop();
      throw new Error(`nginx ended: ${said}`);
    }
    await pause(20);
  }
  return { stop };
}

// One process in the foreground, that writes nowhere but in its folder.
function wrap(http: string, home: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(home, name)};`,
  );
  return [
    'daemon off; master_process off;',
    `pid ${path.join(home, 'nginx.pid')};`,
    'events { worker_connections 1024; }',
    `http { access_log off; ${folders.join(' ')}`,
    http,
    '}',
  ].join('\n');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
