import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestServices, type TestServices } from '../../test/support/test-services.js';
import { ServiceTokensService } from '../features/identity/index.js';
import { newId } from '../platform/ids.js';
import { Database } from '../platform/prisma/database.js';
import { DemoShopSeed } from './demo-activity-seed.js';
import { readDemoData } from './demo-data.js';
import { DemoReplay } from './demo-replay.js';
import { SetupModule } from './setup.module.js';
import { readSetupState, SetupService, type SetupState, writeSetupState } from './setup.service.js';

const ADMIN = { admin: { email: 'admin@example.com', password: 'correct horse' } };

const demo = readDemoData();
const { apis = {}, tiers = {}, offers = {}, tenants = {} } = demo.document;
const people = Object.values(demo.tenants);

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
  it('creates an owner, two valid tokens, a sign-in link and the demo', async () => {
    const tokens = services.context.get(ServiceTokensService, { strict: false });
    expect((await tokens.verify(first.serviceToken ?? ''))?.scopes).toEqual(['decide']);
    expect((await tokens.verify(first.adminToken ?? ''))?.scopes).toEqual(['admin']);
    expect(first.signInUrl).toMatch(/^http:\/\/tollgate\.localhost\/api\/auth\/magic-link\/verify\?token=/);
    const { client } = services.context.get(Database, { strict: false });
    expect(await client.user.findMany({ where: { role: 'OWNER' } })).toMatchObject([
      { email: ADMIN.admin.email },
    ]);
    expect({
      apis: await client.api.count(),
      tiers: await client.tier.count(),
      tenants: await client.tenant.count(),
    }).toEqual({
      apis: Object.keys(apis).length,
      tiers: Object.keys(tiers).length,
      tenants: Object.keys(tenants).length,
    });
    expect(first.demo).toMatchObject({
      tenant: 'acme',
      api: 'url-shortener',
      operation: 'createURL',
      apiKey: expect.stringMatching(/^tgk_live_/),
    });
  });

  it('lists offers that are not for sale until their price is confirmed', async () => {
    expect(await setup.listUnconfirmedPrices()).toEqual([]);
    const { client } = services.context.get(Database, { strict: false });
    const { id: _, ...offer } = await client.offer.findFirstOrThrow();
    const terms = { key: 'forint', currency: 'HUF', priceMinor: 4900, isPriceConfirmed: false };
    const data = { ...offer, ...terms, id: newId('offer'), effects: offer.effects as never };
    const { id } = await client.offer.create({ data });
    expect(await setup.listUnconfirmedPrices()).toEqual(['forint: HUF\u00a049.00']);
    await client.offer.delete({ where: { id } });
  });

  it('replays two days of requests', async () => {
    await services.context.get(DemoReplay, { strict: false }).run(demo, 2);
    const { client } = services.context.get(Database, { strict: false });
    const days = await client.usageDay.findMany({ distinct: ['tenantId'] });
    expect(days).toHaveLength(new Set(demo.traffic.map(({ tenant }) => tenant)).size);
    const sum = async (table: 'usageMinute' | 'usageHour' | 'usageDay') =>
      (await (client[table] as typeof client.usageDay).aggregate({ _sum: { count: true } }))._sum.count;
    expect(await sum('usageDay')).toBeGreaterThan(10_000n);
    expect(await sum('usageHour')).toBe(await sum('usageDay'));
    expect(await client.decisionSample.count()).toBeGreaterThan(100);
  });

  it('records every demo object in the audit trail', async () => {
    const { client } = services.context.get(Database, { strict: false });
    const count = (action: string) => client.auditEntry.count({ where: { action } });
    expect(await count('apiKey.create')).toBe(people.flatMap(({ keys }) => keys).length);
    expect(await count('invitation.create')).toBe(
      people.flatMap(({ invitations = [] }) => invitations).length,
    );
    expect(await count('tenant.create')).toBe(Object.keys(tenants).length);
    expect(await count('tier.publish')).toBe(Object.keys(tiers).length + demo.publications.length);
    expect(await count('offer.create')).toBe(Object.keys(offers).length);
    expect(await count('override.set')).toBe(
      Object.values(tenants).flatMap(({ overrides = [] }) => overrides).length,
    );
    expect(await count('boost.start')).toBe(demo.boosts.length);
    expect(await count('entitlement.grant')).toBe(demo.grants.flatMap(({ effects }) => effects).length);
    expect(await count('quotaRequest.create')).toBe(demo.quotaRequests.length);
    expect(await count('webhookEndpoint.create')).toBe(demo.webhookEndpoints.length);
    expect(await count('changeSet.submit')).toBe(demo.changeSets.length);
    expect(await count('pool.create')).toBe(Object.values(apis).flatMap(({ pools = [] }) => pools).length);
  });

  it('changes only the sign-in link when repeated', async () => {
    const { client } = services.context.get(Database, { strict: false });
    const before = await client.auditEntry.count();
    const counted = await client.usageHour.aggregate({ _sum: { count: true } });
    const second = await setup.run(first, { demoSeed: true });
    expect({ ...second, signInUrl: '' }).toEqual({ ...first, signInUrl: '' });
    expect(second.signInUrl).not.toBe(first.signInUrl);
    expect(await client.auditEntry.count()).toBe(before);
    expect(await client.usageHour.aggregate({ _sum: { count: true } })).toEqual(counted);
  });

  it('replaces a lost or revoked token', async () => {
    const tokens = services.context.get(ServiceTokensService, { strict: false });
    const second = await setup.run({ ...first, adminToken: 'tga_live_nonsense' }, { demoSeed: false });
    expect((await tokens.verify(second.adminToken ?? ''))?.scopes).toEqual(['admin']);
    expect(await tokens.verify(first.adminToken ?? '')).toBeUndefined();
    expect(second.serviceToken).toBe(first.serviceToken);
  });
});

describe('an interrupted set-up', () => {
  it('is completed by the next run', async () => {
    const interrupted = await startTestServices([SetupModule]);
    const get = <T>(type: new (...args: never[]) => T): T => interrupted.context.get(type, { strict: false });
    const buy = vi.spyOn(get(DemoShopSeed), 'buy').mockRejectedValueOnce(new Error('interrupted'));
    await expect(get(SetupService).run(ADMIN, { demoSeed: true })).rejects.toThrow('interrupted');
    const { client } = get(Database);
    await client.member.deleteMany({ where: { tenant: { key: 'acme' } } });
    await client.apiKey.deleteMany({ where: { tenant: { key: 'globex' } } });

    await get(SetupService).run(ADMIN, { demoSeed: true });
    expect(buy).toHaveBeenCalledTimes(1 + demo.purchases.length);
    const count = (lists: unknown[][]) => lists.reduce((sum, list) => sum + list.length, 0);
    expect({
      operations: await client.operation.count(),
      limits: await client.limit.count({
        where: { tierVersion: { status: { not: 'DRAFT' }, number: 1 }, origin: 'TIER' },
      }),
      members: await client.member.count(),
      keys: await client.apiKey.count(),
      changeSets: await client.changeSet.count(),
    }).toEqual({
      operations: count(Object.values(apis).map(({ operations = {} }) => Object.keys(operations))),
      limits: count(Object.values(tiers).map(({ limits = [] }) => limits)),
      members: count(people.map(({ members }) => members)),
      keys: count(people.map(({ keys }) => keys)),
      changeSets: demo.changeSets.length,
    });
    await interrupted.stop();
  });

  it("keeps the operator's edits in the next run", async () => {
    const { client } = services.context.get(Database, { strict: false });
    await client.operation.deleteMany({ where: { name: 'deleteURL' } });
    await client.tier.update({ where: { key: 'free' }, data: { name: 'Starter' } });
    await setup.run(first, { demoSeed: true });
    expect(await client.operation.count({ where: { name: 'deleteURL' } })).toBe(0);
    expect(await client.tier.findUnique({ where: { key: 'free' } })).toMatchObject({
      name: 'Starter',
      managedBy: 'CONSOLE',
    });
  });
});

describe('the state file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-setup-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keeps unknown fields and is readable by its owner only', () => {
    const file = path.join(folder, 'state.json');
    writeFileSync(file, JSON.stringify({ ...ADMIN, extra: 1 }), { mode: 0o644 });
    writeSetupState(file, { ...readSetupState(file), adminToken: 'x' });
    expect(readSetupState(file)).toEqual({ ...ADMIN, extra: 1, adminToken: 'x' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('omits an admin from the environment and contains the token of test requests in its own file', () => {
    const file = path.join(folder, 'environment.json');
    const state = readSetupState(file, ADMIN.admin);
    expect(state).toEqual(ADMIN);
    writeSetupState(file, { ...state, serviceToken: 'tga_x', adminToken: 'x' }, true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ serviceToken: 'tga_x', adminToken: 'x' });
    expect(readFileSync(path.join(folder, 'decision-token'), 'utf8')).toBe('tga_x\n');
    expect(readSetupState(file, ADMIN.admin)).toMatchObject({ ...ADMIN, adminToken: 'x' });
  });

  it('names invalid fields without their values', () => {
    const file = path.join(folder, 'broken.json');
    writeFileSync(file, JSON.stringify({ admin: { email: 'x', password: 'short' } }));
    expect(() => readSetupState(file)).toThrow(/admin\.email, admin\.password/);
    expect(() => readSetupState(file)).not.toThrow(/short/);
    writeFileSync(file, '{ short');
    expect(() => readSetupState(file)).toThrow(`SETUP_STATE_FILE: ${file} cannot be read (not JSON).`);
  });
});
