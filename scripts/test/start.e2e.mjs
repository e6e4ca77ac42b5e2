import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { connect } from 'node:http2';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Copies, callUntilDenied } from './running-copy.mjs';

const SECOND_START_GOAL_MS = 8_000;
/** Processes that run in the folder or were started for it. */
function processesOf(folder) {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return (
        readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) || environment.includes(`TOLLGATE_HOME=${folder}`)
      );
    } catch {
      return false; // ended meanwhile
    }
  });
}

/** The framed reply of `grpc.health.v1.Health/Check` for the whole server. */
async function grpcHealth(address) {
  const session = connect(`http://${address}`);
  const headers = { 'content-type': 'application/grpc', te: 'trailers' };
  const call = session.request({ ':method': 'POST', ':path': '/grpc.health.v1.Health/Check', ...headers });
  call.end(Buffer.alloc(5)); // an empty message: no service is named
  const chunks = [];
  call.on('data', (chunk) => chunks.push(chunk));
  await once(call, 'close');
  session.close();
  return Buffer.concat(chunks);
}

/** Whether a copy ended well and left nothing that runs. */
async function expectStopped({ program, ended }, { home }, signal) {
  program.kill(signal);
  expect(await ended).toEqual([0, null]);
  expect(existsSync(path.join(home, 'dev.json'))).toBe(false);
  if (process.platform === 'linux') expect(processesOf(home)).toEqual([]);
}

// Three starts: two copies at once in empty folders, which stop in different ways, and one again.
describe('npm start', () => {
  const copies = new Copies();
  const others = new Copies();
  let one;
  let other;

  beforeAll(async () => {
    [one, other] = await Promise.all([copies.start(), others.start()]);
  });
  afterAll(async () => {
    for (const each of [copies, others]) {
      await each.stopAll();
      each.removeHome();
    }
  });

  test('gives two copies started at once separate ports and data, and enforces the demo limit in both', async () => {
    expect(one.dev.decisionUrl).not.toBe(other.dev.decisionUrl);
    expect(one.dev.consoleUrl).not.toBe(other.dev.consoleUrl);
    for (const { dev } of [one, other]) {
      const { calls, answer } = await callUntilDenied(dev);
      expect(calls).toBeGreaterThan(1);
      expect(answer).toMatchObject({ policy: 'create-minute' });
    }
  });

  test('serves the console and gRPC, and keeps tokens from other users', async () => {
    expect(statSync(path.join(copies.home, 'dev.json')).mode & 0o777).toBe(0o600);
    expect((await fetch(one.dev.consoleUrl)).status).toBe(200);
    expect(one.dev.redisUrl).toMatch(/^redis:/);
    const serving = [0, 0, 0, 0, 2, 8, 1];
    expect([...(await grpcHealth(one.dev.rlsAddress))]).toEqual(serving);
  });

  test('rejects a second copy on the same folder and names the process that owns it', async () => {
    await expect(copies.start()).rejects.toThrow(
      new RegExp(`already runs in .*process ${one.program.pid}[\\s\\S]*TOLLGATE_HOME`),
    );
    expect(JSON.parse(readFileSync(path.join(copies.home, 'dev.json'), 'utf8'))).toEqual(one.dev);
  });

  test('leaves nothing behind after SIGTERM', async () => {
    await expectStopped(other, others, 'SIGTERM');
  });

  test('keeps data and tokens across a restart after SIGKILL, and leaves nothing behind after SIGINT', async () => {
    one.program.kill('SIGKILL');
    await one.ended;
    const startedAt = performance.now();
    const again = await copies.start();
    const tookMs = performance.now() - startedAt;
    expect(again.dev.serviceToken).toBe(one.dev.serviceToken);
    expect(again.dev.admin).toEqual(one.dev.admin);
    await expectStopped(again, copies, 'SIGINT');
    console.log(`second start: ${Math.round(tookMs)} ms (goal: ${SECOND_START_GOAL_MS} ms)`);
  });
});
