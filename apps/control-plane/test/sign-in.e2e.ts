import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config/app-config.js';
import { AUTH_ROUTES } from '../src/features/identity/auth/auth.routes.js';
import { AuthService, hashPassword, verifyPassword } from '../src/features/identity/index.js';
import { cookieOf, ORIGIN, PASSWORD, startTestApp, type TestApp, testVariables } from './support/test-app.js';

const EMAIL = 'admin@example.com';

const logLines: { level: number; msg: string }[] = [];

let app: TestApp;
let auth: AuthService;

beforeAll(async () => {
  const write = (line: string) => logLines.push(JSON.parse(line));
  app = await startTestApp({}, pino({ level: 'trace' }, { write }));
  auth = app.app.get(AuthService, { strict: false });
  await auth.ensureOperator({ email: EMAIL, name: 'Admin', role: 'OWNER', password: PASSWORD });
});
afterAll(() => app.stop());

describe('signing in with a password', () => {
  it('sets a cookie that scripts and other sites cannot read, and returns the user', async () => {
    const response = await signIn(EMAIL.toUpperCase(), PASSWORD);
    expect(response.status).toBe(200);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^tollgate\.session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
    const { data } = await app.graphql(
      '{ viewer { email role } }',
      {},
      { cookie: cookieOf(response), origin: ORIGIN },
    );
    expect(data.viewer).toEqual({ email: EMAIL, role: 'OWNER' });
  });

  it('stores Argon2id with the cost of the configuration', async () => {
    const account = await app.database.account.findFirstOrThrow();
    expect(account.password).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  });

  it('costs 19 MiB, two passes and one lane outside tests', async () => {
    const { passwordCost } = loadConfig(testVariables({ databaseUrl: app.ownerUrl, redisUrl: app.redisUrl }));
    const hash = await hashPassword(PASSWORD, passwordCost);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifyPassword({ hash, password: PASSWORD })).toBe(true);
    expect(await verifyPassword({ hash, password: 'wrong password' })).toBe(false);
  });

  it('returns the same error for an unknown address and a wrong password', async () => {
    const unknown = await signIn('nobody@example.com', PASSWORD);
    const wrong = await signIn(EMAIL, 'wrong password');
    expect([unknown.status, wrong.status]).toEqual([401, 401]);
    expect(await unknown.json()).toEqual(await wrong.json());
  });

  it('is rejected from a foreign origin', async () => {
    const response = await signIn(EMAIL, PASSWORD, 'https://evil.example');
    expect(response.status).toBe(403);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('ends with the session: its cookie is invalid after sign-out', async () => {
    const headers = { cookie: cookieOf(await signIn(EMAIL, PASSWORD)), origin: ORIGIN };
    const out = await fetch(`${app.url}/api/auth/sign-out`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(out.status).toBe(200);
    const { errors } = await app.graphql('{ viewer { id } }', {}, headers);
    expect(errors[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('rejects a changed cookie', async () => {
    const [cookie = ''] = cookieOf(await signIn(EMAIL, PASSWORD)).split('; ');
    const changed = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    expect((await app.graphql('{ viewer { id } }', {}, { cookie: changed, origin: ORIGIN })).data).toBeNull();
  });
});

describe('disabled endpoints', () => {
  it.each([
    ['POST', '/api/auth/sign-up/email'],
    ['POST', '/api/auth/sign-in/magic-link'],
    ['POST', '/api/auth/request-password-reset'],
    ['POST', '/api/auth/update-user'],
    ['POST', '/api/auth/change-email'],
    ['GET', '/api/auth/list-sessions'],
    ['GET', '/api/auth/error'],
  ])('%s %s does not exist', async (method, path) => {
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: ORIGIN },
      ...(method === 'POST'
        ? { body: JSON.stringify({ email: 'new@example.com', password: PASSWORD }) }
        : {}),
    });
    expect(response.status).toBe(404);
  });
});

describe('a sign-in link', () => {
  it('signs in once; the second use is rejected', async () => {
    const url = await link();
    const first = await follow(url);
    expect(first.headers.get('location')).toBe(`${ORIGIN}/`);
    const { data } = await app.graphql(
      '{ viewer { email } }',
      {},
      { cookie: cookieOf(first), origin: ORIGIN },
    );
    expect(data.viewer.email).toBe(EMAIL);
    const second = await follow(url);
    expect(second.headers.get('location')).toContain('error=INVALID_TOKEN');
    expect(second.headers.getSetCookie()).toEqual([]);
  });

  it('used concurrently signs in exactly once', async () => {
    const url = await link();
    const responses = await Promise.all(Array.from({ length: 5 }, () => follow(url)));
    expect(responses.filter((response) => response.headers.getSetCookie().length > 0)).toHaveLength(1);
  });

  it('is stored as a hash only', async () => {
    const token = new URL(await link()).searchParams.get('token') ?? '';
    const stored = await app.database.verification.findMany();
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('redirects to this host only', async () => {
    const url = new URL(await link());
    url.searchParams.set('callbackURL', 'https://evil.example/');
    const response = await follow(url.toString());
    expect(response.status).toBe(403);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it.each([
    '/.//evil.example/x',
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '/\t/evil.example',
    '/%09/evil.example',
  ])('redirects to no other host for callbackURL %j, with a valid token or without', async (callbackURL) => {
    for (const token of [undefined, 'x']) {
      const url = new URL(await link());
      url.searchParams.set('callbackURL', callbackURL);
      if (token !== undefined) url.searchParams.set('token', token);
      const response = await follow(url.toString());
      const location = response.headers.get('location') ?? `${ORIGIN}/`;
      expect(location).toMatch(new RegExp(`^${ORIGIN}/(?!/)`));
    }
  });

  it('creates no account for an unknown address', async () => {
    const url = await auth.issueSignInUrl('ghost@example.com');
    const response = await follow(url.replace(ORIGIN, app.url));
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await app.database.user.count({ where: { email: 'ghost@example.com' } })).toBe(0);
  });
});

describe('a request that the sign-in library rejects', () => {
  const HOSTILE = 'https://evil.example/?\n{"level":50,"msg":"database lost"}';
  const NAMES = [
    'callbackURL',
    'errorCallbackURL',
    'newUserCallbackURL',
    'redirectTo',
    'token',
    'code',
    'email',
  ];

  it.each(AUTH_ROUTES)('writes no line at error level: $method $path', async ({ method, path }) => {
    const values = Object.fromEntries(NAMES.map((name) => [name, HOSTILE]));
    const url = `${app.url}/api/auth${path}?${new URLSearchParams(values)}`;
    const before = logLines.length;
    for (const headers of [
      { origin: ORIGIN },
      { origin: ORIGIN, referer: HOSTILE.split('\n')[0] ?? '', cookie: 'tollgate.session=x; a=b' },
      { cookie: 'a=b' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ]) {
      const body = method === 'POST' ? { body: JSON.stringify(values) } : {};
      const response = await fetch(url, {
        ...{ method, redirect: 'manual', ...body },
        headers: { ...headers, 'content-type': 'application/json' },
      });
      expect(response.status).toBeLessThan(500);
    }
    expect(logLines.slice(before).filter(({ level }) => level > 30)).toEqual([]);
  });
});

function signIn(email: string, password: string, origin = ORIGIN): Promise<Response> {
  return fetch(`${app.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  });
}

async function link(): Promise<string> {
  return (await auth.issueSignInUrl(EMAIL)).replace(ORIGIN, app.url);
}

function follow(url: string): Promise<Response> {
  return fetch(url, { redirect: 'manual' });
}
