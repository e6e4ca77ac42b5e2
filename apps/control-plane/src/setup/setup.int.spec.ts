import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER } from '../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../test/support/test-services.js';
import { ApisService, TiersService } from '../features/catalogue/index.js';
import { ServiceTokensService } from '../features/identity/index.js';
import { Database } from '../platform/prisma/database.js';
import { readDemoData } from './demo-data.js';
import { SetupModule } from './setup.module.js';
import { SetupService } from './setup.service.js';
import { readSetupState, type SetupState, writeSetupState } from './setup-state.js';

const ADMIN = { admin: { email: 'admin@example.com', password: 'correct horse' } };

let services: TestServices;
let setup: SetupService;
let first: SetupState;

beforeAll(async () => {
  services = await startTestServices([SetupModule]);
  setup = services.context.get(SetupService, { strict: false });
  first = await setup.run(ADMIN, { demoSeed: true });
});
afterAll(() => services.stop());

describe('set-up', () => {
  it('makes an owner, two tokens that work, a sign-in link and the demo', async () => {
    const tokens = services.context.get(ServiceTokensService, { strict: false });
    expect((await tokens.verify(first.serviceToken ?? ''))?.scopes).toEqual(['decide']);
    expect((await tokens.verify(first.adminToken ?? ''))?.scopes).toEqual(['admin']);
    expect(first.signInUrl).toMatch(/^http:\/\/tollgate\.localhost\/api\/auth\/magic-link\/verify\?token=/);
    const { client } = services.context.get(Database, { strict: false });
    const demo = readDemoData();
    expect(await client.user.findMany({ where: { role: { not: null } } })).toMatchObject([
      { email: ADMIN.admin.email, role: 'OWNER' },
    ]);
    expect({
      apis: await client.api.count(),
      tiers: await client.tier.count(),
      tenants: await client.tenant.count(),
    }).toEqual({
      apis: demo.apis.length,
      tiers: demo.tiers.length,
      tenants: demo.tenants.length,
    });
    expect(first.demo).toMatchObject({
      tenant: 'acme',
      api: 'url-shortener',
      operation: 'createURL',
      apiKey: expect.stringMatching(/^tgk_live_/),
      nearLimits: expect.arrayContaining([expect.objectContaining({ tenant: 'globex' })]),
    });
  });

  it('tells two weeks of usage, so that charts are not empty', async () => {
    const { client } = services.context.get(Database, { strict: false });
    const days = await client.usageDay.findMany({ distinct: ['tenantId'] });
    expect(days).toHaveLength(new Set(readDemoData().usage.map(({ tenant }) => tenant)).size);
    const sum = async (table: 'usageMinute' | 'usageHour' | 'usageDay') =>
      (await (client[table] as typeof client.usageDay).aggregate({ _sum: { count: true } }))._sum.count;
    expect(await sum('usageHour')).toBe(await sum('usageDay'));
    expect(await sum('usageMinute')).toBe(await sum('usageDay'));
  });

  it('leaves the demo tenants that are to be near a limit below it', async () => {
    const { client } = services.context.get(Database, { strict: false });
    for (const { tenant, operation, count } of readDemoData().nearLimits) {
      const limits = await client.limit.findMany({
        where: {
          operations: { has: operation },
          tierVersion: { tier: { subscriptions: { some: { tenant: { key: tenant } } } } },
        },
      });
      expect(limits).not.toHaveLength(0);
      for (const { limitMax } of limits) expect(count).toBeLessThan(Number(limitMax));
    }
  });

  it('goes through the services: every demo object is in the audit trail', async () => {
    const { client } = services.context.get(Database, { strict: false });
    const count = (action: string) => client.auditEntry.count({ where: { action } });
    const demo = readDemoData();
    expect(await count('apiKey.create')).toBe(demo.tenants.flatMap(({ keys }) => keys).length);
    expect(await count('invitation.create')).toBe(
      demo.tenants.flatMap(({ invitations }) => invitations).length,
    );
    expect(await count('tenant.create')).toBe(demo.tenants.length);
    expect(await count('tier.publish')).toBe(demo.tiers.length + demo.publications.length);
    expect(await count('override.set')).toBe(demo.overrides.length);
    expect(await count('boost.start')).toBe(demo.boosts.length);
    expect(await count('entitlement.grant')).toBe(demo.grants.flatMap(({ effects }) => effects).length);
    expect(await count('quotaRequest.create')).toBe(demo.quotaRequests.length);
    expect(await count('webhookEndpoint.create')).toBe(demo.webhookEndpoints.length);
    expect(await count('changeSet.submit')).toBe(demo.changeSets.length);
    expect(await count('pool.create')).toBe(demo.apis.flatMap(({ pools }) => pools).length);
  });

  it('run again changes nothing but the sign-in link', async () => {
    const { client } = services.context.get(Database, { strict: false });
    const before = await client.auditEntry.count();
    const counted = await client.usageHour.aggregate({ _sum: { count: true } });
    const second = await setup.run(first, { demoSeed: true });
    expect({ ...second, signInUrl: '' }).toEqual({ ...first, signInUrl: '' });
    expect(second.signInUrl).not.toBe(first.signInUrl);
    expect(await client.auditEntry.count()).toBe(before);
    expect(await client.usageHour.aggregate({ _sum: { count: true } })).toEqual(counted);
  });

  it('replaces a token that is lost or revoked', async () => {
    const tokens = services.context.get(ServiceTokensService, { strict: false });
    const second = await setup.run({ ...first, adminToken: 'tga_live_nonsense' }, { demoSeed: false });
    expect((await tokens.verify(second.adminToken ?? ''))?.scopes).toEqual(['admin']);
    expect(await tokens.verify(first.adminToken ?? '')).toBeUndefined();
    expect(second.serviceToken).toBe(first.serviceToken);
  });
});

describe('a set-up that was interrupted', () => {
  it('is finished by the next one, wherever it stopped', async () => {
    const interrupted = await startTestServices([SetupModule]);
    const get = <T>(type: new (...args: never[]) => T): T => interrupted.context.get(type, { strict: false });
    const demo = readDemoData();
    const [api] = demo.apis;
    const [tier, drafted] = demo.tiers;
    if (!api || !tier || !drafted) throw new Error('The demo is too small for this test');
    await get(ApisService).create(CALLER, { key: api.key, name: api.name });
    for (const { key, name } of [tier, drafted]) await get(TiersService).create(CALLER, { key, name });
    const draft = { tierKey: drafted.key, expectedVersion: 1, limits: [] };
    expect(await get(TiersService).saveDraft(CALLER, draft)).toMatchObject({ ok: true });

    await get(SetupService).run(ADMIN, { demoSeed: true });
    await get(Database).client.member.deleteMany({ where: { tenant: { key: 'acme' } } });
    await get(SetupService).run(ADMIN, { demoSeed: true });

    const { client } = get(Database);
    const count = (lists: unknown[][]) => lists.reduce((sum, list) => sum + list.length, 0);
    expect({
      operations: await client.operation.count(),
      limits: await client.limit.count({ where: { tierVersion: { status: 'PUBLISHED' }, origin: 'TIER' } }),
      members: await client.member.count(),
    }).toEqual({
      operations: count(demo.apis.map(({ operations }) => operations)),
      limits: count(demo.tiers.map(({ limits }) => limits)),
      members: count(demo.tenants.map(({ members }) => members)),
    });
    await interrupted.stop();
  });
});

describe('the state file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-setup-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keeps what it does not know, and only its owner may read it', () => {
    const file = path.join(folder, 'state.json');
    writeFileSync(file, JSON.stringify({ ...ADMIN, extra: 1 }), { mode: 0o644 });
    writeSetupState(file, { ...readSetupState(file), adminToken: 'x' });
    expect(readSetupState(file)).toEqual({ ...ADMIN, extra: 1, adminToken: 'x' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('that lacks the admin is refused by field, without its values', () => {
    const file = path.join(folder, 'broken.json');
    writeFileSync(file, JSON.stringify({ admin: { email: 'x', password: 'short' } }));
    expect(() => readSetupState(file)).toThrow(/admin\.email, admin\.password/);
    expect(() => readSetupState(file)).not.toThrow(/short/);
  });
});
