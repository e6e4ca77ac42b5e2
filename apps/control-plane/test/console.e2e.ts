import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthService } from '../src/features/identity/index.js';
import { PASSWORD, startTestApp, type TestApp } from './support/test-app.js';

const HTTPS_ORIGIN = 'https://tollgate.test';
const PAGE = '<title>Console</title><script>first()</script>';
const SCRIPT = 'export {}';

let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-console-'));
  mkdirSync(path.join(folder, 'dist/assets'), { recursive: true });
  writeFileSync(path.join(folder, 'dist/index.html'), PAGE);
  writeFileSync(path.join(folder, 'dist/assets/index-abc123.js'), SCRIPT);
  writeFileSync(path.join(folder, 'dist/assets/index-abc123.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(path.join(folder, 'dist/assets/index-abc123.js.gz'), gzipSync(SCRIPT));
  writeFileSync(path.join(folder, 'dist/explorer.html'), '<title>Explorer</title>');
  writeFileSync(path.join(folder, 'dist/favicon.svg'), '<svg/>');
  writeFileSync(path.join(folder, 'secret.txt'), 'outside');
  app = await startTestApp({
    CONSOLE_DIR: path.join(folder, 'dist'),
    PUBLIC_URL: HTTPS_ORIGIN,
    ALLOW_INSECURE: 'unsigned-policy',
  });
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

describe('the console', () => {
  it.each(['/', '/index.html', '/tenants', '/live', '/tiers/pro?tab=limits'])(
    '%s is its page, without caching',
    async (url) => {
      const response = await fetch(`${app.url}${url}`);
      expect(await response.text()).toBe(PAGE);
      expect(response.headers.get('content-type')).toContain('text/html');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const hash = createHash('sha256').update('first()').digest('base64');
      expect(response.headers.get('content-security-policy')).toContain(
        `script-src 'self' 'sha256-${hash}';`,
      );
    },
  );

  it('files with a hash in their name are immutable; others are not cached', async () => {
    const script = await fetch(`${app.url}/assets/index-abc123.js`);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-type')).toContain('javascript');
    expect((await fetch(`${app.url}/favicon.svg`)).headers.get('cache-control')).toBe('no-cache');
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('accept-encoding %s gets the copy compressed with %s', async (accepted, encoding) => {
    const response = await fetch(`${app.url}/assets/index-abc123.js`, {
      headers: { 'accept-encoding': accepted },
    });
    expect(await response.text()).toBe(SCRIPT);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('content-type')).toContain('javascript');
    expect(response.headers.get('vary')).toBe('accept-encoding');
    const etag = response.headers.get('etag') ?? '';
    const again = await fetch(`${app.url}/assets/index-abc123.js`, {
      headers: { 'accept-encoding': accepted, 'if-none-match': etag, 'cache-control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
  });

  it('compresses long GraphQL responses only', async () => {
    const bearer = await app.bearer(['admin']);
    const encodingOf = async (query: string) => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { ...bearer, 'content-type': 'application/json', 'accept-encoding': 'gzip, br' },
        body: JSON.stringify({ query }),
      });
      expect(await response.json()).toHaveProperty('data');
      return response.headers.get('content-encoding');
    };
    expect(await encodingOf('{ permissionRoles { permission operatorRoles } }')).toBe('br');
    expect(await encodingOf('{ tiers(first: 1) { totalCount } }')).toBeNull();
  });

  it.each(['/assets/gone-123.js', '/assets/index-abc123.js.br', '/api/nothing', '/api', '/metrics'])(
    '%s returns 404 instead of the page',
    async (url) => {
      const response = await fetch(`${app.url}${url}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'route-unknown' });
    },
  );

  it.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/../../secret.txt',
    '/....//secret.txt',
  ])('%s does not leave the folder', async (url) => {
    const response = await fetch(`${app.url}${url}`);
    expect(await response.text()).not.toContain('outside');
  });
});

describe('the console behind https', () => {
  it('binds the session cookie to its host and to https', async () => {
    const email = 'admin@example.com';
    await app.app
      .get(AuthService, { strict: false })
      .ensureOperator({ email, name: 'A', role: 'OWNER', password: PASSWORD });
    const response = await fetch(`${app.url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: HTTPS_ORIGIN },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-tollgate\.session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const { data } = await app.graphql(
      '{ viewer { email } }',
      {},
      { cookie: cookie?.split(';')[0] ?? '', origin: HTTPS_ORIGIN },
    );
    expect(data.viewer.email).toBe(email);
    expect(response.headers.get('strict-transport-security')).toContain('max-age=');
  });
});

describe('the explorer page', () => {
  const explorer = `/graphql/explorer`;

  it('is served to signed-in users; others are redirected to sign-in', async () => {
    const bearer = await app.bearer(['admin']);
    const page = await fetch(`${app.url}${explorer}`, { headers: bearer });
    expect(await page.text()).toBe('<title>Explorer</title>');
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'self'.*font-src 'self' data:/);
    const refused = await fetch(`${app.url}${explorer}`, { redirect: 'manual' });
    expect([refused.status, refused.headers.get('location')]).toEqual([302, '/sign-in']);
    expect(await (await fetch(`${app.url}/explorer.html`)).text()).toBe(PAGE);
  });

  it('reads the schema from a path that is no page of the console', async () => {
    const schema = await fetch(`${app.url}/schema.graphql`, { headers: await app.bearer(['admin']) });
    expect(await schema.text()).toContain('\ntype Tenant ');
    const refused = await fetch(`${app.url}/schema.graphql`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
  });
});
