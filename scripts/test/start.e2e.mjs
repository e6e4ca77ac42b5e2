import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../start.mjs', import.meta.url));
const FIRST_START_LIMIT_MS = 60_000;
const SECOND_START_GOAL_MS = 8_000;
const MOST_CALLS = 500;
const NOT_FROM_HERE = [
  'DATABASE_URL',
  'REDIS_URL',
  'PORT',
  'DECISION_PORT',
  'NODE_ENV',
  'npm_lifecycle_event',
];

let home;
let programs = [];

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-start-'));
});

afterEach(async () => {
  for (const { program, ended } of programs) {
    program.kill('SIGTERM');
    await ended;
  }
  programs = [];
});

afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

/** Starts a copy with its own folder; resolves when it is ready, rejects with its output when it ends before. */
async function startCopy() {
  const env = { ...process.env, TOLLGATE_HOME: home };
  for (const name of NOT_FROM_HERE) delete env[name];
  const program = spawn(process.execPath, [SCRIPT], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(program, 'exit');
  programs.push({ program, ended });
  let output = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (output += text));
  const isSettled = () => program.exitCode !== null || output.includes('Ready in');
  await expect.poll(isSettled, { timeout: FIRST_START_LIMIT_MS }).toBe(true);
  if (program.exitCode !== null) throw new Error(output);
  return { program, ended, dev: JSON.parse(readFileSync(path.join(home, 'dev.json'), 'utf8')) };
}

/** Processes that work in the folder or were started for it. */
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

async function callUntilRefused({ decisionUrl, serviceToken, demo }) {
  const { tenant, api, operation, subject } = demo;
  const body = JSON.stringify({ tenant, api, operation, subject });
  const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' };
  for (let calls = 1; calls <= MOST_CALLS; calls++) {
    const answer = await fetch(`${decisionUrl}/v1/limit?status=http`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    if (answer.status === 429) return calls;
    expect(answer.status).toBe(200);
  }
  throw new Error('never refused');
}

test('npm start: ready, refused at the demo limit, and nothing is left after SIGTERM', {
  timeout: 120_000,
}, async () => {
  const first = await startCopy();
  expect(statSync(path.join(home, 'dev.json')).mode & 0o777).toBe(0o600);
  expect((await fetch(first.dev.consoleUrl)).status).toBe(200);
  expect(await callUntilRefused(first.dev)).toBeGreaterThan(1);
  first.program.kill('SIGTERM');
  expect(await first.ended).toEqual([0, null]);
  expect(existsSync(path.join(home, 'dev.json'))).toBe(false);
  if (process.platform === 'linux') expect(processesOf(home)).toEqual([]);
});

test('a second start keeps data and tokens, is quick, and heals what a kill left behind', {
  timeout: 120_000,
}, async () => {
  const killed = await startCopy();
  killed.program.kill('SIGKILL');
  await killed.ended;
  const startedAt = performance.now();
  const again = await startCopy();
  const tookMs = performance.now() - startedAt;
  expect(again.dev.serviceToken).toBe(killed.dev.serviceToken);
  expect(again.dev.admin).toEqual(killed.dev.admin);
  again.program.kill('SIGINT');
  expect(await again.ended).toEqual([0, null]);
  if (process.platform === 'linux') expect(processesOf(home)).toEqual([]);
  console.log(`second start: ${Math.round(tookMs)} ms (goal: ${SECOND_START_GOAL_MS} ms)`);
});

test('a second copy on the same folder says who has it and what to do', { timeout: 120_000 }, async () => {
  const first = await startCopy();
  await expect(startCopy()).rejects.toThrow(
    new RegExp(`already runs in .*process ${first.program.pid}[\\s\\S]*TOLLGATE_HOME`),
  );
});
