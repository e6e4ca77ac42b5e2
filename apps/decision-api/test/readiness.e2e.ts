import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startFaultProxy, TestRelay } from '@tollgate/decision-plane/testing';
import { createTestRedis } from '@tollgate/test-kit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';

// The built program, with a proxy in front of its counters that tests can close.

const ENTRY = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const NOWHERE = 'redis://127.0.0.1:1';

let redis: Awaited<ReturnType<typeof createTestRedis>>;
let relay: TestRelay;
beforeAll(async () => {
  redis = await createTestRedis();
  relay = new TestRelay(redis.url);
  await relay.publish({ tenants: [relay.tenant('acme')] });
});
afterAll(async () => {
  relay.close();
  await redis.stop();
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function dataDir(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-ready-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a node. @returns functions that read the status and code of its `/readyz`, and stop it */
async function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [ENTRY], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      REDIS_CONFIG_URL: redis.url,
      TOKEN_PEPPER: 'a pepper for tests, 32 characters or more',
      ALLOW_INSECURE: 'unsigned-policy',
      DRAIN_NOTICE_MS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  closing.push(stop);
  const ports = Promise.withResolvers<number>();
  createInterface(child.stdout).on('line', (line) => {
    const { msg, port } = JSON.parse(line) as { msg: string; port: number };
    if (msg === 'decision API listening') ports.resolve(port);
  });
  const origin = `http://127.0.0.1:${await ports.promise}`;
  const ready = async () => {
    const response = await fetch(`${origin}/readyz`);
    const { code, counters } = (await response.json()) as { code?: string; counters?: string };
    return [response.status, code ?? counters];
  };
  return { ready, stop };
}

it('is not ready until the counters have answered once, and ready in a later outage', async () => {
  const proxy = await startFaultProxy(Number(new URL(redis.url).port));
  closing.push(() => proxy.close());
  proxy.freeze();
  const node = await start({ REDIS_COUNTERS_URL: `redis://127.0.0.1:${proxy.port}`, DATA_DIR: dataDir() });
  expect(await node.ready()).toEqual([503, 'counters-unreached']);
  proxy.thaw();
  const state = { timeout: 60_000 };
  await vi.waitFor(async () => expect(await node.ready()).toEqual([200, 'available']), state);
  await proxy.close();
  await vi.waitFor(async () => expect(await node.ready()).toEqual([200, 'unavailable']), state);
});

it('is ready without the counters after a restart with a policy on its disk, unless it is configured not to be', async () => {
  const folder = dataDir();
  const first = await start({ REDIS_COUNTERS_URL: redis.url, DATA_DIR: folder });
  await vi.waitFor(async () => expect(await first.ready()).toEqual([200, 'available']), { timeout: 60_000 });
  await first.stop();
  const lost = { REDIS_COUNTERS_URL: NOWHERE, REDIS_CONFIG_URL: NOWHERE, DATA_DIR: folder };
  const restarted = await start(lost);
  expect(await restarted.ready()).toEqual([200, 'never-reached']);
  await restarted.stop();
  const strict = await start({ ...lost, READY_WITHOUT_COUNTERS: 'never' });
  expect(await strict.ready()).toEqual([503, 'counters-unreached']);
});

it('is ready without the counters at the first start only where it is configured so', async () => {
  const lost = { REDIS_COUNTERS_URL: NOWHERE, READY_WITHOUT_COUNTERS: 'always' };
  const node = await start({ ...lost, DATA_DIR: dataDir() });
  expect(await node.ready()).toEqual([200, 'never-reached']);
});
