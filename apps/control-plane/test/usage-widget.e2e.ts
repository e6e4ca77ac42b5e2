import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { UtilizationService } from '../src/features/usage/utilization/utilization.service.js';
import { WIDGET_SCRIPT, WidgetTokens } from '../src/features/usage/widget/widget.js';
import { PointsMeter } from '../src/platform/graphql/cost/points-meter.js';
import { createPolicy } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const CREATE = `mutation($input: UsageWidgetTokenCreateInput!) { usageWidgetTokenCreate(input: $input) {
  token url expiresAt userErrors { code field message } } }`;

let app: TestApp;
let reader: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  reader = await app.bearer(['usage:read'], ['acme']);
});
afterAll(() => app.stop());

const create = (input: object, headers = reader) =>
  app.graphql(CREATE, { input: { tenantKey: 'acme', ...input } }, headers);
const tokenOf = async (input: object = {}) =>
  (await create(input)).data.usageWidgetTokenCreate.token as string;
const read = (token: string) =>
  fetch(`${app.url}/embed/usage/data`, { headers: { authorization: `Bearer ${token}` } });

it('shows the limits of the portal to the bearer of a token', async () => {
  const { data } = await app.graphql(
    '{ limitUtilization(tenantKey: "acme") { limitName used capacity percent } }',
  );
  const response = await read(await tokenOf());
  const { limits, expiresAt } = (await response.json()) as {
    limits: { name: string; used: number; limit: number; percent: number }[];
    expiresAt: string;
  };
  expect(limits.map(({ used, limit, percent }) => [used, limit, percent])).toEqual(
    data.limitUtilization.map(({ used, capacity, percent }: Record<string, number>) => [
      used,
      capacity,
      percent,
    ]),
  );
  expect(limits.map(({ name }) => name)).toEqual(['All of Shop per minute']);
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);
  const chosen = await read(await tokenOf({ limits: ['shop/none'] }));
  expect(await chosen.json()).toMatchObject({ limits: [] });
});

it('issues tokens for tenants of the caller and for at most one hour', async () => {
  const other = await create({ tenantKey: 'other' });
  expect(other.errors[0]?.extensions.code).toBe('NOT_FOUND');
  const long = await create({ lifetimeSeconds: 7200 });
  expect(long.data.usageWidgetTokenCreate.userErrors).toMatchObject([{ field: ['lifetimeSeconds'] }]);
  const scopeless = await create({}, await app.bearer(['tenants:read'], ['acme']));
  expect(scopeless.errors[0]?.extensions.code).toMatch(/FORBIDDEN|NOT_FOUND/);
});

it('rejects expired, changed and invented tokens, and sessions', async () => {
  const tokens = app.app.get(WidgetTokens, { strict: false });
  const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
  const content = { tenantId, tenantKey: 'acme', limits: null };
  const expired = tokens.issue({ ...content, expiresAtMs: Date.now() - 1 });
  const token = await tokenOf();
  const changed = `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`;
  for (const bad of [expired, changed, '', 'x'.repeat(10_000)]) expect((await read(bad)).status).toBe(401);
  const session = await fetch(`${app.url}/embed/usage/data`, { headers: await app.signIn('OWNER') });
  expect(session.status).toBe(401);
  // A token of one tenant never shows another one.
  const forged = tokens.issue({ ...content, tenantId: 'ten_0', expiresAtMs: Date.now() + 60_000 });
  expect(await (await read(forged)).json()).toMatchObject({ limits: [] });
});

it('reads the limits of a tenant once for many tokens, and those of another tenant meanwhile', async () => {
  for (const key of ['slow', 'fast'])
    await app.graphql(
      `mutation { tenantCreate(input: { key: "${key}", name: "${key}", tierKey: "basic" }) { changeId } }`,
    );
  const admin = await app.bearer(['admin']);
  const tokensOf = (tenantKey: string) =>
    Promise.all(
      Array.from({ length: 5 }, async (_, i) => {
        const { data } = await create({ tenantKey, lifetimeSeconds: 600 + i }, admin);
        return data.usageWidgetTokenCreate.token as string;
      }),
    );
  const [slow, fast] = [await tokensOf('slow'), await tokensOf('fast')];
  const service = app.app.get(UtilizationService, { strict: false });
  const list = service.listLimits.bind(service);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const reads = vi.spyOn(service, 'listLimits').mockImplementation(async (context, tenantKey) => {
    if (tenantKey === 'slow') await isReleased;
    return list(context, tenantKey);
  });
  const pending = Array.from({ length: 40 }, (_, i) => read(slow[i % 5] ?? ''));
  await expect.poll(() => reads.mock.calls.length).toBeGreaterThan(0);
  expect((await read(fast[0] ?? '')).status).toBe(200);
  release();
  const statuses = (await Promise.all(pending)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(reads.mock.calls.filter(([, tenantKey]) => tenantKey === 'slow')).toHaveLength(1);
  reads.mockRestore();
});

it.each(['widget', 'tenant'] as const)('charges each request to its %s', async (kind) => {
  const token = await tokenOf();
  const meter = app.app.get(PointsMeter, { strict: false });
  const take = meter.take.bind(meter);
  const denied = vi.spyOn(meter, 'take').mockImplementation(async (payer, points) => {
    const payment = await take(payer, points);
    return payer.kind === kind ? { ...payment, allowed: false, retryAfterSeconds: 7 } : payment;
  });
  const response = await read(token);
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  denied.mockRestore();
  expect((await read(token)).status).toBe(200);
});

it('allows frames of the configured origins only, and is small', async () => {
  const policyOf = async () =>
    (await fetch(`${app.url}/embed/usage`)).headers.get('content-security-policy') ?? '';
  expect(await policyOf()).toContain("frame-ancestors 'none'");
  await app.graphql(
    'mutation($input: InstallationUpdateInput!) { installationUpdate(input: $input) { userErrors { message } } }',
    { input: { expectedVersion: 1, embedOrigins: ['https://dashboard.example.com'] } },
  );
  expect(await policyOf()).toMatch(/frame-ancestors https:\/\/dashboard\.example\.com$/);
  const page = await (await fetch(`${app.url}/embed/usage?theme=dark&token=x`)).text();
  expect(page).toContain('color-scheme:dark');
  expect(page.length + WIDGET_SCRIPT.length).toBeLessThan(30 * 1024);
});
