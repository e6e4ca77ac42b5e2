import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthService } from '../src/features/auth/index.js';
import { PASSWORD, startTestApp, type TestApp } from './support/test-app.js';

const HTTPS_ORIGIN = 'https://tollgate.test';

let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-console-'));
  mkdirSync(path.join(folder, 'dist/assets'), { recursive: true });
  writeFileSync(path.join(folder, 'dist/index.html'), '<title>Console</title>');
  writeFileSync(path.join(folder, 'dist/assets/index-abc123.js'), 'export {}');
  writeFileSync(path.join(folder, 'dist/favicon.svg'), '<svg/>');
  writeFileSync(path.join(folder, 'secret.txt'), 'outside');
  app = await startTestApp({ CONSOLE_DIR: path.join(folder, 'dist'), PUBLIC_URL: HTTPS_ORIGIN });
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

describe('the console', () => {
  it.each(['/', '/index.html', '/tenants', '/tiers/pro?tab=limits'])(
    '%s is its page, asked for anew each time',
    async (url) => {
      const response = await fetch(`${app.url}${url}`);
      expect(await response.text()).toBe('<title>Console</title>');
      expect(response.headers.get('content-type')).toContain('text/html');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    },
  );

  it('files with a hash in their name are kept for good, others are not', async () => {
    const script = await fetch(`${app.url}/assets/index-abc123.js`);
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-type')).toContain('javascript');
    expect((await fetch(`${app.url}/favicon.svg`)).headers.get('cache-control')).toBe('no-cache');
  });

  it.each(['/assets/gone-123.js', '/api/nothing', '/live/nothing', '/api'])(
    '%s is not found instead of being the page',
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
  ])('%s leads to nothing outside the folder', async (url) => {
    const response = await fetch(`${app.url}${url}`);
    expect(await response.text()).not.toContain('outside');
  });
});

describe('behind https', () => {
  it('the session cookie is bound to this host and to https', async () => {
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
    const { data } = await app.graphql('{ viewer { email } }', {}, { cookie: cookie?.split(';')[0] ?? '' });
    expect(data.viewer.email).toBe(email);
    expect(response.headers.get('strict-transport-security')).toContain('max-age=');
  });
});
