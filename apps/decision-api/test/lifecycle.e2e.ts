import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startFaultProxy, TestRelay } from '@tollgate/decision-plane/testing';
import {
  createTestRedis,
  documentedUsers,
  eventually,
  ProgramProcess,
  startRealRedis,
  WITHOUT_OPENTELEMETRY,
} from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Start-up errors, readiness, shutdown and lost processes of the built program.

let redis: Awaited<ReturnType<typeof createTestRedis>>;
let relay: TestRelay;
beforeAll(async () => {
  redis = await createTestRedis();
  relay = new TestRelay(redis.url);
  await relay.publish({ tenants: [relay.tenant('acme')] });
});

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  relay.close();
  await redis.stop();
});

function folder(): string {
  const created = mkdtempSync(path.join(tmpdir(), 'tollgate-life-'));
  closing.push(() => rmSync(created, { recursive: true, force: true }));
  return created;
}

function start(env: Record<string, string> = {}): ProgramProcess {
  const program = new ProgramProcess('decision-api/dist/main.js', {
    PORT: '0',
    REDIS_COUNTERS_URL: redis.url,
    REDIS_CONFIG_URL: redis.url,
    TOKEN_PEPPER: 'a pepper for tests, 32 characters or more',
    ALLOW_INSECURE: 'unsigned-policy',
    DATA_DIR: folder(),
    DRAIN_NOTICE_MS: '0',
    NODE_OPTIONS: WITHOUT_OPENTELEMETRY,
    ...env,
  });
  closing.push(() => program.kill());
  return program;
}

/** Status of `/readyz`, and its code or state of the counters, on a new connection; a hung process does not respond. */
async function readyz(program: ProgramProcess): Promise<[number, string | undefined] | undefined> {
  const { port } = await program.line('decision API listening');
  try {
    const response = await fetch(`http://127.0.0.1:${String(port)}/readyz`, {
      headers: { Connection: 'close' },
      signal: AbortSignal.timeout(1_000),
    });
    const { code, counters } = (await response.json()) as { code?: string; counters?: string };
    return [response.status, code ?? counters];
  } catch {
    return undefined;
  }
}

const isReady = async (program: ProgramProcess) => (await readyz(program))?.[0] === 200;

describe.concurrent('a failed start', () => {
  it('reports all invalid settings in one line without values, and exits with code 1', async () => {
    const program = start({
      PORT: 'hunter2',
      TOKEN_PEPPER: 'hunter2',
      ALLOW_INSECURE: '',
      RLS_TLS_KEY_FILE: 'k',
    });
    expect(await program.exited).toEqual([1, null]);
    expect(program.output.trimEnd().split('\n')).toHaveLength(1);
    expect(program.lines[0]).toMatchObject({ level: 'fatal', service: 'decision-api' });
    expect(program.lines[0]?.msg).toMatch(
      /^Invalid configuration: PORT: .*TOKEN_PEPPER: .*POLICY_PUBLIC_KEYS .*RLS_TLS_CERT_FILE/,
    );
    expect(program.output).not.toContain('hunter2');
  });

  it('reports a missing mapping file in one line for each of several processes', async () => {
    const program = start({ RLS_MAPPING_FILE: '/nonexistent/rls.json', PROCESSES: '2' });
    expect(await program.exited).toEqual([1, null]);
    const fatal = program.lines.filter(({ level }) => level === 'fatal').map(({ msg }) => msg);
    expect(fatal).toContainEqual(expect.stringMatching(/^RLS_MAPPING_FILE \/nonexistent/));
    expect(fatal).toContainEqual(expect.stringMatching(/^process \d exited at start with code 1$/));
    expect(program.output).not.toContain('    at ');
  });

  it('reports a data folder that is a file in one line', async () => {
    const file = path.join(folder(), 'file');
    writeFileSync(file, '');
    const program = start({ DATA_DIR: path.join(file, 'data') });
    expect(await program.exited).toEqual([1, null]);
    expect(program.lines.at(-1)?.msg).toMatch(/^ENOTDIR|^EEXIST/);
    expect(program.output).not.toContain('    at ');
  });

  it('names the command that a Redis user lacks, and exits with code 1', {
    tags: 'redis-server',
  }, async () => {
    const users = path.join(folder(), 'users.acl');
    writeFileSync(users, `${documentedUsers().join('\n').replaceAll(' +xadd', '')}\n`);
    const server = await startRealRedis({ extraArgs: ['--aclfile', users] });
    closing.push(server.stop);
    const urlAs = (user: string) => server.url.replace('//', `//${user}:change-me@`);
    const program = start({
      REDIS_COUNTERS_URL: urlAs('node-counters'),
      REDIS_CONFIG_URL: urlAs('node-policy'),
    });
    expect(await program.exited).toEqual([1, null]);
    expect(program.lines.at(-1)).toMatchObject({
      level: 'fatal',
      msg: 'policy redis: user node-policy may not run XADD: ACL SETUSER node-policy +xadd',
    });
    expect(program.output).not.toContain('change-me');
  });

  it('names the variable and address of an unavailable Redis without its password', async () => {
    const nowhere = 'redis://user:hunter2@127.0.0.1:1';
    const program = start({ REDIS_COUNTERS_URL: nowhere, REDIS_CONFIG_URL: nowhere });
    expect(await program.line('policy redis unavailable')).toMatchObject({
      setting: 'REDIS_CONFIG_URL',
      address: '127.0.0.1:1',
      error: 'connect ECONNREFUSED 127.0.0.1:1',
    });
    expect(await program.line('counter redis unavailable; connecting again')).toMatchObject({
      setting: 'REDIS_COUNTERS_URL',
      address: '127.0.0.1:1',
    });
    expect(await program.stop()).toEqual([0, null]);
    expect(program.output).not.toContain('hunter2');
  });
});

describe.concurrent('readiness', () => {
  const NOWHERE = 'redis://127.0.0.1:1';
  const reaches = (program: ProgramProcess, state: [number, string]) =>
    eventually(async () => isDeepStrictEqual(await readyz(program), state));

  it('begins when the counters have answered once, and continues in a later outage', async () => {
    const proxy = await startFaultProxy(Number(new URL(redis.url).port));
    closing.push(() => proxy.close());
    proxy.freeze();
    const program = start({ REDIS_COUNTERS_URL: `redis://127.0.0.1:${proxy.port}` });
    await reaches(program, [503, 'counters-unreached']);
    proxy.thaw();
    await reaches(program, [200, 'available']);
    await proxy.close();
    await reaches(program, [200, 'unavailable']);
  });

  it('waits for the counters after a restart too, unless it is configured not to', async () => {
    const dataDir = folder();
    const first = start({ DATA_DIR: dataDir });
    await reaches(first, [200, 'available']);
    await first.stop();
    const lost = { REDIS_COUNTERS_URL: NOWHERE, REDIS_CONFIG_URL: NOWHERE, DATA_DIR: dataDir };
    const restarted = start(lost);
    await reaches(restarted, [503, 'counters-unreached']);
    await restarted.stop();
    await reaches(start({ ...lost, READY_WITHOUT_COUNTERS: 'true' }), [200, 'never-reached']);
  });
});

describe.concurrent('SIGTERM', () => {
  it.each(['while it starts', 'while it runs'])('ends the process %s and Redis hangs', async (when) => {
    const proxy = await startFaultProxy(Number(new URL(redis.url).port));
    closing.push(() => proxy.close());
    const url = `redis://127.0.0.1:${proxy.port}`;
    if (when === 'while it starts') proxy.freeze();
    const program = start({ REDIS_COUNTERS_URL: url, REDIS_CONFIG_URL: url });
    if (when === 'while it starts') await program.line('insecure setting allowed');
    else await eventually(() => isReady(program));
    proxy.freeze();
    expect(await program.stop()).toEqual([0, null]);
    expect(program.lines.map(({ msg }) => msg)).toContain('stopping');
  });
});

describe.concurrent('a node of two processes', () => {
  it('is not ready while one of them hangs, replaces it, and still stops', async () => {
    const program = start({ PROCESSES: '2', NODE_ID: 'edge' });
    const newest = () => program.lines.findLast(({ node }) => node === 'edge-1')?.pid as number;
    await eventually(() => isReady(program));
    const hung = newest();
    process.kill(hung, 'SIGSTOP');
    await eventually(async () => (await readyz(program))?.[1] === 'process-missing');
    await program.line('process does not respond; killing it');
    await eventually(async () => newest() !== hung && (await isReady(program)));
    const another = newest();
    process.kill(another, 'SIGSTOP');
    const stopped = program.stop();
    await program.line('stopping');
    // Instead of the primary process, which does so at its limit.
    process.kill(another, 'SIGKILL');
    expect(await stopped).toEqual([0, null]);
  });
});
