import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { collectErrors } from '../../apps/console/test/screens.ts';
import { launchBrowser } from '../../packages/test-kit/src/index.ts';

const SCRIPT = fileURLToPath(new URL('../start.mjs', import.meta.url));
const MOST_CALLS = 500;
const NOT_INHERITED = [
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'REDIS_URL',
  'PORT',
  'DECISION_PORT',
  'RLS_PORT',
  'METRICS_PORT',
  'CONTROL_METRICS_PORT',
  'CONSOLE_PORT',
  'NODE_ENV',
  'npm_lifecycle_event',
];

/** Copies of the product, started as `npm start` does, in a folder of their own. */
export class Copies {
  home = mkdtempSync(path.join(tmpdir(), 'tollgate-start-'));
  #programs = [];

  /** Starts one; resolves when it is ready and rejects with its output if it exits first. @param more environment */
  async start(more = {}) {
    const env = {
      ...process.env,
      TOLLGATE_HOME: this.home,
      DEMO_TRAFFIC: 'off',
      DEMO_HISTORY_DAYS: '1',
      // A busy machine sheds no request.
      GRAPHQL_MAX_EVENT_LOOP_LAG_MS: '10000',
    };
    for (const name of NOT_INHERITED) delete env[name];
    Object.assign(env, more);
    const program = spawn(process.execPath, [SCRIPT], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(program, 'exit');
    this.#programs.push({ program, ended });
    const ready = Promise.withResolvers();
    let output = '';
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (text) => {
        output += text;
        if (output.includes('Ready in')) ready.resolve();
      });
    await Promise.race([ready.promise, ended]);
    if (program.exitCode !== null) throw new Error(output);
    return { program, ended, dev: JSON.parse(readFileSync(path.join(this.home, 'dev.json'), 'utf8')) };
  }

  async stopAll() {
    for (const { program, ended } of this.#programs.splice(0)) {
      program.kill('SIGTERM');
      await ended;
    }
  }

  removeHome() {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A browser with one page, and the errors that the page logs. */
export async function openBrowser() {
  const browser = await launchBrowser();
  const page = browser.context.pages()[0] ?? (await browser.context.newPage());
  return { browser, page, errors: collectErrors(page) };
}

/** Sends the printed cURL: one decision on the demo operation. */
export async function callOnce({ decisionUrl, serviceToken, demo }, path = '/v1/limit?status=http') {
  const { tenant, api, operation, subject } = demo;
  const response = await fetch(decisionUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tenant, api, operation, subject }),
  });
  return { status: response.status, headers: response.headers, answer: await response.json() };
}

/** Like `callOnce`, but retries degraded decisions: a busy machine can miss the deadline. */
export async function callCounted(dev) {
  for (let calls = 1; calls <= MOST_CALLS; calls++) {
    const called = await callOnce(dev);
    if (!called.answer.degraded) return called;
  }
  throw new Error('never counted');
}

/** Repeats the cURL until it is denied; returns the 429 response. */
export async function callUntilDenied(dev) {
  for (let calls = 1; calls <= MOST_CALLS; calls++) {
    const { status, headers, answer } = await callCounted(dev);
    if (status === 429) return { calls, headers, answer };
    expect(status).toBe(200);
  }
  throw new Error('never denied');
}
