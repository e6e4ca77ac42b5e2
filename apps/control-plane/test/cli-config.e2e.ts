import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordQuickRequests } from './support/recorded-traffic.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const ENTRY = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../../packages/cli/samples/shop.yaml', import.meta.url));

let app: TestApp;
let folder: string;
let token: string;

beforeAll(async () => {
  app = await startTestApp();
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-config-'));
  token = (await app.bearer(['admin'])).authorization?.replace('Bearer ', '') ?? '';
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.stop();
});

const tollgate = (...args: string[]) => run('config', ...args);

/** Waiting, which a slow machine prints every five seconds. */
const PROGRESS_LINE = /^(?:Comparing|Applying) .*: [\d.]+ s\n/gm;

/** Runs the built command against the running control plane, without its lines of progress. */
function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    TOLLGATE_GRAPHQL_URL: `${app.url}/graphql`,
    TOLLGATE_ADMIN_TOKEN: token,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [ENTRY, ...args], { env, cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr: stderr.replace(PROGRESS_LINE, '') });
    });
  });
}

function write(name: string, change: (text: string) => string): string {
  const file = path.join(folder, name);
  writeFileSync(file, change(readFileSync(SAMPLE, 'utf8')));
  return file;
}

describe('tollgate config', () => {
  it('validates, shows the difference and applies; afterwards shows none and pulls the same file', async () => {
    expect(await tollgate('validate', SAMPLE)).toMatchObject({ code: 0 });
    const first = await tollgate('diff', SAMPLE);
    expect(first).toMatchObject({ code: 2, stderr: '' });
    expect(first.stdout).toContain('+ tiers.shop-team');
    expect(await tollgate('apply', SAMPLE, '--reason', 'first')).toMatchObject({ code: 0, stderr: '' });
    expect(await tollgate('diff', SAMPLE)).toEqual({ code: 0, stdout: 'No difference.\n', stderr: '' });
    const pulled = path.join(folder, 'pulled.yaml');
    expect(await tollgate('pull', '-o', pulled)).toMatchObject({ code: 0 });
    expect(await tollgate('diff', pulled)).toMatchObject({ code: 0 });
  });

  it('prints one line for one changed number, and the change as JSON', async () => {
    const faster = write('faster.yaml', (text) => text.replace('limit: 600,', 'limit: 700,'));
    const difference = await tollgate('diff', faster);
    expect(difference).toMatchObject({ code: 2 });
    expect(difference.stdout.split('\n').slice(0, 2)).toEqual([
      '~ tiers.shop-plus.limits',
      expect.stringMatching(/^ {4}limits\[[\w/-]+\]\.limit: 600 -> 700$/),
    ]);
    const { stdout } = await tollgate('diff', faster, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      changes: [{ action: 'UPDATE', path: 'tiers.shop-plus.limits' }],
    });
  });

  it('guards the versions that it replaces', async () => {
    const slower = write('slower.yaml', (text) => text.replace('limit: 600,', 'limit: 500,'));
    expect(await tollgate('apply', slower, '--guard', 'rise=0.5,minutes=60')).toMatchObject({
      code: 0,
      stderr: '',
    });
    const { data } = await app.graphql(
      '{ publicationGuard(tierKey: "shop-plus") { state maxDenialRise minDecisions withinMinutes } }',
    );
    const terms = { maxDenialRise: 0.5, minDecisions: 1000, withinMinutes: 60 };
    expect(data.publicationGuard).toEqual({ state: 'WATCHING', ...terms });
    expect(await tollgate('apply', SAMPLE)).toMatchObject({ code: 0 });
  });

  it('reports file, line and column of errors found by the schema or the server', async () => {
    const unknown = write('unknown.yaml', (text) => text.replace('    rank: 110', '    rnak: 110'));
    const offline = await tollgate('validate', unknown, '--offline');
    expect(offline.code).toBe(1);
    expect(offline.stderr).toMatch(/unknown\.yaml:23:5: tiers\.shop-plus\.rnak: unknown key/);
    const absent = write('absent.yaml', (text) => text.replace('pool: main }', 'pool: other }'));
    expect(await tollgate('validate', absent, '--offline')).toMatchObject({ code: 0 });
    const online = await tollgate('diff', absent);
    expect(online.code).toBe(1);
    expect(online.stderr).toMatch(
      /absent\.yaml:\d+:\d+: tiers\.shop-team\.limits\.0\.throttle\.pool: There is no pool/,
    );
  });

  it('deletes only with sync, after a confirmation', async () => {
    const less = write('less.yaml', (text) => text.replace(/ {2}shop-team:[\s\S]*?(?=^offers:)/m, ''));
    expect(await tollgate('apply', less)).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' });
    const asked = await tollgate('sync', less);
    expect(asked).toMatchObject({ code: 1 });
    expect(asked.stderr).toContain('--yes');
    const done = await tollgate('sync', less, '--yes');
    expect(done).toMatchObject({ code: 0, stdout: '- tiers.shop-team\n' });
  });

  it('exits with 1 and a message on failure', async () => {
    expect(await tollgate('diff', '/absent.yaml')).toMatchObject({ code: 1 });
    const { code, stderr } = await tollgate('pull', '--url', 'http://127.0.0.1:1/graphql');
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be reached')]);
  });
});

describe('tollgate simulate', () => {
  it('replays recorded traffic by a draft, with bounds for CI', async () => {
    const fileWith = (name: string, limit: string) => {
      const limits = `[{ name: rate, api: plain, limit: 10, window: 1m, ${limit} }]`;
      const apis = 'apis: { plain: { name: Plain, operations: { read: {} } } }';
      const file = path.join(folder, name);
      writeFileSync(file, `version: 1\n${apis}\ntiers: { plain: { name: Plain, limits: ${limits} } }\n`);
      return file;
    };
    expect(await tollgate('apply', fileWith('window.yaml', 'algorithm: fixed_window'))).toMatchObject({
      code: 0,
    });
    const spaced = fileWith('spaced.yaml', 'algorithm: gcra, burst: 0');
    const early = await run('simulate', spaced);
    expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('no recorded traffic') });
    const create = 'tenantCreate(input: { key: "acme", name: "Acme", tierKey: "plain" }) { changeId }';
    expect((await app.graphql(`mutation { ${create} }`)).errors).toEqual([]);
    await recordQuickRequests(app, { tenantKey: 'acme', api: 'plain', operation: 'read', limit: 'rate' });
    const headline = 'This draft would newly deny 8 of 9 requests (88.89 %); 1 tenant newly affected';
    const denied = await run('simulate', spaced, '--max-denied', '0.5%', '--max-new-tenants', '0');
    expect(denied).toMatchObject({ code: 1, stderr: '', stdout: expect.stringContaining(headline) });
    expect(denied.stdout).toContain('Exceeded: 88.89 % of the requests are newly denied, more than 0.50 %');
    expect(await run('simulate', spaced, '--since', '2d', '--max-new-tenants', '1')).toMatchObject({
      code: 0,
    });
    const difference = await tollgate('diff', spaced, '--simulate', '24h');
    expect(difference).toMatchObject({ code: 2, stdout: expect.stringContaining(headline) });
  });
});
