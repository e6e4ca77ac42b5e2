import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './support/eventually.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let owner: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp();
  owner = await app.signIn('OWNER');
});
afterAll(() => app.stop());

const get = (path: string, headers: Record<string, string> = owner) =>
  fetch(`${app.url}/jobs-board${path}`, { headers });

it('is a page for owners, without inline scripts and external resources', async () => {
  const page = await get('/');
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).not.toMatch(/https:\/\//);
  expect(html).toContain('<base href="/jobs-board/" />');
  expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self';.*frame-ancestors 'self'/);
  const script = /src="(static\/js\/main[^"]+)"/.exec(html)?.[1];
  const served = await get(`/${script}`);
  expect([served.status, served.headers.get('content-type')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
  ]);
});

it('shows the queues and scheduled jobs', async () => {
  const queues = await eventually(async () => {
    const { queues: found } = (await (await get('/api/queues')).json()) as { queues: { name: string }[] };
    return found.length > 0 ? found : undefined;
  });
  expect(queues.map(({ name }) => name).sort()).toEqual(['jobs', 'policy']);
});

it('does not serve paths outside of its files', async () => {
  for (const path of ['/static/..%2f..%2fpackage.json', '/static/../index.ejs', '/static/gone.js'])
    expect((await get(path)).status).toBe(404);
});

it.each(['/', '/api/queues', '/static/images/logo.svg'])('%s is for owners only', async (path) => {
  expect((await get(path, {})).status).toBe(401);
  for (const role of ['LIMITS_ADMIN', 'SUPPORT', 'AUDITOR'] as const)
    expect((await get(path, await app.signIn(role))).status).toBe(403);
  expect((await get(path, await app.bearer(['admin']))).status).toBe(403);
});
