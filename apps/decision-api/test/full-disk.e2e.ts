import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashToken, issueToken } from '@tollgate/contracts/service-token';
import { TestRelay } from '@tollgate/decision-plane/testing';
import { startOnPort } from '@tollgate/embedded';
import { createTestRedis, eventually } from '@tollgate/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

// The built program with a blocked standard output: it continues to decide and shuts down in time.

const ENTRY = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const PEPPER = 'a pepper for tests, 32 characters or more';
const create = { tenant: 'acme', api: 'url-shortener', operation: 'createURL' };

let redis: Awaited<ReturnType<typeof createTestRedis>>;
let relay: TestRelay;
const token = issueToken('tga', 'live');

beforeAll(async () => {
  redis = await createTestRedis();
  relay = new TestRelay(redis.url);
});
afterAll(async () => {
  relay.close();
  await redis.stop();
});

let folder: string;
const closing: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-full-'));
});
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
  rmSync(folder, { recursive: true, force: true });
});

function opened(file: string, flags: string | number): number {
  const fd = openSync(file, flags);
  closing.push(() => closeSync(fd));
  return fd;
}

const OUTPUTS: Record<string, () => number> = {
  'a full device': () => opened('/dev/full', 'w'),
  'a full pipe without an active reader': () => {
    const file = path.join(folder, 'pipe');
    execFileSync('mkfifo', [file]);
    const both = opened(file, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      for (;;) writeSync(both, Buffer.alloc(4096));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
    return opened(file, constants.O_WRONLY);
  },
};
if (process.getuid?.() === 0) {
  OUTPUTS['a file on a full file system'] = () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tollgate-test', folder]);
    closing.push(() => void execFileSync('umount', [folder]));
    expect(() => writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(128 * 1024))).toThrow('ENOSPC');
    return opened(path.join(folder, 'log'), 'a');
  };
}

/** Returns once it is ready. Its log, which names its ports, cannot be read. */
function start(stdout: number, env: Record<string, string>) {
  return startOnPort(undefined, (metricsPort) =>
    startOnPort(undefined, (port) => startOn(port, metricsPort, stdout, env)),
  );
}

async function startOn(port: number, metricsPort: number, stdout: number, env: Record<string, string>) {
  const home = mkdtempSync(path.join(tmpdir(), 'tollgate-full-home-'));
  const child = spawn(process.execPath, [ENTRY], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      REDIS_COUNTERS_URL: redis.url,
      REDIS_CONFIG_URL: redis.url,
      TOKEN_PEPPER: PEPPER,
      ALLOW_INSECURE: 'unsigned-policy',
      DATA_DIR: home,
      DECISION_DEADLINE_MS: '5000',
      // A busy machine is not the fault under test: no request is shed because of it.
      MAX_EVENT_LOOP_LAG_MS: '10000',
      ...env,
    },
    stdio: ['ignore', stdout, stdout],
  });
  closing.push(() => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${port}`;
  const isReady = async () => {
    const isOk = await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (child.exitCode !== null) throw new Error('ended at start, as if an address is already in use');
    return isOk;
  };
  await eventually(isReady);
  const decide = async () => {
    const response = await fetch(`${origin}/v1/limit`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(create),
    });
    return `${response.status} ${await response.text()}`;
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(name));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  return { child, decide, metric };
}

/** A revision with changed policy: each one is logged. */
function publish(): Promise<number> {
  const record = { publicId: token.publicId, hash: hashToken(token.token, PEPPER) };
  return relay.publish({
    tenants: [relay.tenant('acme')],
    serviceTokens: [{ ...record, scopes: ['decide'], expiresAtMs: null }],
  });
}

describe.each(Object.entries(OUTPUTS))('a log that is written to %s', (what, output) => {
  it.each([
    ['one process', {}],
    ['two processes', { PROCESSES: '2' }],
  ])('does not stop decisions or shutdown of %s', async (_, env) => {
    await publish();
    const { child, decide, metric } = await start(output(), env as Record<string, string>);
    for (let i = 0; i < 5; i++) {
      const revision = await publish();
      await eventually(async () => (await metric('tollgate_policy_revision')) >= revision);
      expect(await decide()).toMatch(/^200 /);
    }
    // A full pipe is no error: its reader may only be slow.
    if (!what.includes('pipe')) expect(await metric('tollgate_log_write_errors_total')).toBeGreaterThan(0);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
