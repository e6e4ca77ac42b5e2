import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PermissionGuard } from '../src/platform/access/permission.guard.js';
import { EXPENSIVE_DOCUMENTS } from './support/expensive-documents.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let headers: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp();
  headers = { 'content-type': 'application/json', ...(await app.bearer(['admin'])) };
});
afterAll(() => app.stop());

it.each(EXPENSIVE_DOCUMENTS)('rejects $name before execution', async ({ name, body, refusedBy }) => {
  // Every root field passes the guard.
  const guard = vi.spyOn(PermissionGuard.prototype, 'canActivate');
  await fetch(`${app.url}/graphql`, { method: 'POST', headers, body: '{"query":"{__typename}"}' });
  const startedMs = performance.now();
  const response = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body });
  const text = await response.text();
  console.info(`${name}: refused in ${(performance.now() - startedMs).toFixed(1)} ms, over HTTP`);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  expect(text).toMatch(refusedBy);
  expect(JSON.parse(text).data).toBeUndefined();
  expect(guard).not.toHaveBeenCalled();
  guard.mockRestore();
});
