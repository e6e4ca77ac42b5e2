import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BUILD } from '@tollgate/contracts/environment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowed, startServer } from './decision-server.js';
import { SAMPLE, startTollgate } from './run-tollgate.js';

let folder: string;
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-usage-'));
  server = await startServer(({ answer }) => answer(allowed()));
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function replay(...args: string[]) {
  const env = { TOLLGATE_URL: server.url, TOLLGATE_TOKEN: 'secret' };
  return await startTollgate(['replay', ...args], env).finished;
}

it('prints version and commit', async () => {
  const { stdout } = await startTollgate(['--version'], { TOLLGATE_COMMIT: 'abc1234' }).finished;
  expect(stdout).toBe(`${BUILD.version} (abc1234)\n`);
});

describe('tollgate replay', () => {
  it('exits with 2 and an explanation without a file', async () => {
    const { exitCode, stdout, stderr } = await replay();
    expect(stderr).toContain('To try it, use the sample:');
    expect([exitCode, stdout]).toEqual([2, '']);
  });

  it('shows lines of a file that is no access log, and exits with 2', async () => {
    const file = path.join(folder, 'no-log.txt');
    writeFileSync(file, 'Dear diary,\n');
    const { exitCode, stdout, stderr } = await replay(file);
    expect(stdout).toContain('Dear diary,');
    expect(stderr).toContain('contains no request: no line is in Apache combined format.');
    expect(exitCode).toBe(2);
  });

  it('prints the report for people', async () => {
    const { exitCode, stdout } = await replay(SAMPLE, '--limit-lines', '2');
    expect(stdout).toContain(`Replayed ${SAMPLE} for northwind, website: 2 lines in `);
    expect(stdout).toContain('Over-admission: 0 (2 admissions at ');
    expect(exitCode).toBe(0);
  });

  it('exits with 70 after an internal error, because 1 means that a limit was exceeded', async () => {
    const preload = 'process.stdout.write = () => { throw new Error("no paper left"); }';
    const { exitCode, stderr } = await startTollgate(['replay', SAMPLE, '--limit-lines', '2'], {
      TOLLGATE_URL: server.url,
      TOLLGATE_TOKEN: 'secret',
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(preload)}"`,
    }).finished;
    expect(stderr).toContain('no paper left');
    expect(exitCode).toBe(70);
  });

  it('prints its help', async () => {
    const { exitCode, stdout } = await replay('--help');
    expect(stdout).toContain('--speed <factor>');
    expect(exitCode).toBe(0);
  });
});
