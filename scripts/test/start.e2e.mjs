import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { connect } from 'node:http2';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { Copies, callUntilDenied } from './running-copy.mjs';

const SECOND_START_GOAL_MS = 8_000;
const copies = new Copies();
const { home } = copies;

afterEach(() => copies.stopAll());
afterAll(() => copies.removeHome());

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

test('npm start: enforces the demo limit and leaves nothing behind after SIGTERM', async () => {
  const first = await copies.start();
  expect(statSync(path.join(home, 'dev.json')).mode & 0o777).toBe(0o600);
  expect((await fetch(first.dev.consoleUrl)).status).toBe(200);
  expect((await callUntilDenied(first.dev)).calls).toBeGreaterThan(1);
  const serving = [0, 0, 0, 0, 2, 8, 1];
  expect([...(await grpcHealth(first.dev.rlsAddress))]).toEqual(serving);
  first.program.kill('SIGTERM');
  expect(await first.ended).toEqual([0, null]);
  expect(existsSync(path.join(home, 'dev.json'))).toBe(false);
  if (process.platform === 'linux') expect(processesOf(home)).toEqual([]);
});

test('keeps data and tokens across a restart after SIGKILL', async () => {
  const killed = await copies.start();
  killed.program.kill('SIGKILL');
  await killed.ended;
  const startedAt = performance.now();
  const again = await copies.start();
  const tookMs = performance.now() - startedAt;
  expect(again.dev.serviceToken).toBe(killed.dev.serviceToken);
  expect(again.dev.admin).toEqual(killed.dev.admin);
  again.program.kill('SIGINT');
  expect(await again.ended).toEqual([0, null]);
  if (process.platform === 'linux') expect(processesOf(home)).toEqual([]);
  console.log(`second start: ${Math.round(tookMs)} ms (goal: ${SECOND_START_GOAL_MS} ms)`);
});

test('gives two copies started at once separate ports and data', async () => {
  const others = new Copies();
  try {
    const [one, other] = await Promise.all([copies.start(), others.start()]);
    expect(one.dev.decisionUrl).not.toBe(other.dev.decisionUrl);
    expect(one.dev.consoleUrl).not.toBe(other.dev.consoleUrl);
    expect((await callUntilDenied(one.dev)).answer).toMatchObject({ policy: 'create-minute' });
    expect((await callUntilDenied(other.dev)).answer).toMatchObject({ policy: 'create-minute' });
  } finally {
    await others.stopAll();
    others.removeHome();
  }
});

test('rejects a second copy on the same folder and names the process that owns it', async () => {
  const first = await copies.start();
  await expect(copies.start()).rejects.toThrow(
    new RegExp(`already runs in .*process ${first.program.pid}[\\s\\S]*TOLLGATE_HOME`),
  );
  expect(JSON.parse(readFileSync(path.join(home, 'dev.json'), 'utf8'))).toEqual(first.dev);
});
