import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOnPort, startOwnedService } from '@tollgate/embedded';

export interface TestProxy {
  origin: string;
  stop(): Promise<void>;
}

/** A configuration that listens on `port` of 127.0.0.1. */
type Configure = (port: number) => string;

/**
 * @param http content of the `http` block
 * @throws Error with its output when it exits, or it is not on PATH
 */
export function startNginx(http: Configure): Promise<TestProxy> {
  return start('nginx', (home, port) => ({
    files: { 'nginx.conf': wrap(http(port), home) },
    args: ['-p', home, '-c', path.join(home, 'nginx.conf'), '-e', 'stderr'],
  }));
}

/** @param files that the configuration names */
export function startHaproxy(config: Configure, files: Readonly<Record<string, string>>): Promise<TestProxy> {
  return start('haproxy', (_, port) => ({
    files: { ...files, 'haproxy.cfg': config(port) },
    args: ['-db', '-f', 'haproxy.cfg'],
  }));
}

/** Without the admin endpoint, so that two may run at once. */
export function startCaddy(caddyfile: Configure): Promise<TestProxy> {
  return start('caddy', (_, port) => ({
    files: { Caddyfile: `{\n\tadmin off\n}\n${caddyfile(port)}` },
    args: ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'],
  }));
}

interface ProxySetup {
  files: Readonly<Record<string, string>>;
  args: string[];
}

async function start(
  name: 'nginx' | 'haproxy' | 'caddy',
  setUp: (home: string, port: number) => ProxySetup,
): Promise<TestProxy> {
  const home = mkdtempSync(path.join(tmpdir(), `tollgate-test-${name}-`));
  const proxy = await startOnPort(undefined, (port) => {
    const { files, args } = setUp(home, port);
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(home, file), text);
    return startOwnedService(path.join(home, name), {
      name,
      command: name,
      args,
      cwd: home,
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
      logFile: path.join(home, 'log'),
      isReady: () => isListening(port),
      stopSignal: 'SIGTERM',
    });
  });
  return {
    origin: `http://127.0.0.1:${proxy.port}`,
    stop: async () => {
      await proxy.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
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

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
