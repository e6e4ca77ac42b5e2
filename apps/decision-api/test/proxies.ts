import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Paths of each proxy, and the argument that prints its version. */
const PROXIES = {
  nginx: { places: ['nginx', '/usr/sbin/nginx'], version: '-v' },
  haproxy: { places: ['haproxy', '/usr/sbin/haproxy'], version: '-v' },
  caddy: { places: ['caddy', '/usr/bin/caddy'], version: 'version' },
} as const;

type ProxyName = keyof typeof PROXIES;

export interface TestProxy {
  stop(): Promise<void>;
}

/**
 * @param http content of the `http` block, with `listen` on a free port of 127.0.0.1
 * @throws Error with its output when it exits, or it is not installed
 */
export function startNginx(http: string, port: number): Promise<TestProxy> {
  return start('nginx', port, (home) => ({
    files: { 'nginx.conf': wrap(http, home) },
    args: ['-p', home, '-c', path.join(home, 'nginx.conf'), '-e', 'stderr'],
  }));
}

/** @param files that the configuration names */
export function startHaproxy(
  config: string,
  files: Readonly<Record<string, string>>,
  port: number,
): Promise<TestProxy> {
  return start('haproxy', port, () => ({
    files: { ...files, 'haproxy.cfg': config },
    args: ['-db', '-f', 'haproxy.cfg'],
  }));
}

/** Without the admin endpoint, so that two may run at once. */
export function startCaddy(caddyfile: string, port: number): Promise<TestProxy> {
  return start('caddy', port, () => ({
    files: { Caddyfile: `{\n\tadmin off\n}\n${caddyfile}` },
    args: ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
  }));
}

interface ProxySetup {
  files: Readonly<Record<string, string>>;
  args: readonly string[];
}

async function start(name: ProxyName, port: number, setUp: (home: string) => ProxySetup): Promise<TestProxy> {
  const command = commandOf(name);
  if (command === undefined) throw new Error(`There is no ${name}: install it (apt-get install ${name})`);
  const home = mkdtempSync(path.join(tmpdir(), `tollgate-test-${name}-`));
  const { files, args } = setUp(home);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(home, file), text);
  const child = spawn(command, args, {
    cwd: home,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk;
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
      throw new Error(`${name} ended: ${output}`);
    }
    await pause(20);
  }
  return { stop };
}

const found = new Map<ProxyName, string | undefined>();

function commandOf(name: ProxyName): string | undefined {
  if (!found.has(name)) {
    const { places, version } = PROXIES[name];
    found.set(
      name,
      places.find((place) => spawnSync(place, [version]).status === 0),
    );
  }
  return found.get(name);
}

// One process in the foreground that writes only to its folder.
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
