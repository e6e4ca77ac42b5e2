import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLER } from '../../../../test/support/test-app.js';
import { startTestServices, type TestServices } from '../../../../test/support/test-services.js';
import { ApisService, CatalogueModule, DefaultLimitsService, TiersService } from '../../catalogue/index.js';
import { CustomersModule, OverridesService, TenantsService } from '../../customers/index.js';
import { RelayModule, RelayService, RevisionsRepository } from '../../distribution/index.js';
import { ConfigService } from '../config/config.service.js';
import { ConfigDocumentModule, RevisionsModule } from '../governance.modules.js';
import { LimitLadderService } from './limit-ladder.service.js';
import { RollbackService } from './rollback.service.js';

let services: TestServices;
let apis: ApisService;
let defaults: DefaultLimitsService;
let tiers: TiersService;
let tenants: TenantsService;
let overrides: OverridesService;
let contractId: string;

beforeAll(async () => {
  services = await startTestServices([
    ...[RelayModule, CatalogueModule, CustomersModule, RevisionsModule, ConfigDocumentModule],
  ]);
  const get = services.context.get.bind(services.context);
  apis = get(ApisService, { strict: false });
  defaults = get(DefaultLimitsService, { strict: false });
  tiers = get(TiersService, { strict: false });
  tenants = get(TenantsService, { strict: false });
  overrides = get(OverridesService, { strict: false });
  await apis.create(CALLER, { key: 'shop', name: 'Shop', operations: ['per-minute', 'other', 'by-default'] });
});
afterAll(() => services.stop());

describe('the changes of a ladder', () => {
  it('are the publication of the value and the override among unrelated changes of one revision', async () => {
    const limits = [terms('by-default', 7)];
    expectDone(await defaults.set(CALLER, { apiKey: 'shop', limits, expectedVersion: 1 }));
    await createTier('basic', 5);
    await createTenant('acme', 'basic');
    await createTenant('other', 'basic');
    await publish('basic', 60, 'The one that counts');
    await publish('basic', 60, 'Another limit', 9);
    await tenants.update(CALLER, { tenantKey: 'acme', name: 'Acme Inc.', expectedVersion: 1 });
    await override('other', 300, 'Not for acme');
    await override('acme', 400, 'Replaced');
    contractId = await override('acme', 500, 'Contract');
    const revision = await release();
    expect(await ladder('acme', 'per-minute', revision)).toEqual({
      limit: 500,
      tierChange: 'tier.publish: The one that counts',
      sources: ['Contract'],
      introduced: [revision, ['tier.publish: The one that counts', 'override.set: Contract']],
    });
    expect(await ladder('acme', 'by-default', revision)).toMatchObject({
      limit: 7,
      tierChange: 'tier.publish: New tier basic',
      introduced: [revision, ['tenant.create: acme']],
    });
  });

  it('stay the same when unrelated changes are published later', async () => {
    const before = await ladder('acme', 'per-minute');
    await publish('basic', 60, 'Yet another limit', 10);
    await override('other', 301, 'Not for acme either');
    expect(await ladder('acme', 'per-minute', await release())).toEqual(before);
  });

  it('are the default limits for a value that they set', async () => {
    const { version: expectedVersion = 0 } = (await apis.findByKey('shop')) ?? {};
    const reason = 'Lower default';
    const limits = [terms('by-default', 6)];
    expectDone(await defaults.set(CALLER, { apiKey: 'shop', limits, expectedVersion, reason }));
    const revision = await release();
    expect(await ladder('acme', 'by-default')).toMatchObject({
      limit: 6,
      tierChange: `api.defaultLimitsSet: ${reason}`,
      introduced: [revision, [`api.defaultLimitsSet: ${reason}`]],
    });
  });

  it('are the move to another tier, and the end of an override', async () => {
    await createTier('pro', 80);
    const { version: expectedVersion = 0 } = (await tenants.findByKey('acme')) ?? {};
    const move = { tenantKey: 'acme', tierKey: 'pro', expectedVersion, reason: 'Upgraded' };
    expectDone(await tenants.changeTier(CALLER, move));
    const moved = await release();
    expect(await ladder('acme', 'per-minute')).toMatchObject({
      limit: 500,
      tierChange: 'tenant.tierChange: Upgraded',
      introduced: [moved - 3, ['tier.publish: The one that counts', 'override.set: Contract']],
    });
    expectDone(await overrides.remove(CALLER, { overrideId: contractId, reason: 'Expired contract' }));
    const revision = await release();
    expect(await ladder('acme', 'per-minute')).toEqual({
      limit: 80,
      tierChange: 'tenant.tierChange: Upgraded',
      sources: [],
      introduced: [revision, ['override.remove: Expired contract']],
    });
  });
});

describe('a rollback', () => {
  it('is rejected while a committed change of a tier is in no revision', async () => {
    const then = await release();
    await publish('pro', 90, 'Reviewed');
    const expectedRevision = await release();
    await publish('pro', 95, 'Not published yet, so not in the differences that the caller has read');
    const input = { toRevision: then, expectedRevision, reason: 'Too high' };
    const rollbacks = services.context.get(RollbackService, { strict: false });
    expect(await rollbacks.rollback(CALLER, input)).toMatchObject({
      ok: false,
      errors: [{ code: 'CONFLICT', field: ['expectedRevision'] }],
    });
    const newest = await release();
    expect(await ladder('acme', 'per-minute', newest)).toMatchObject({ limit: 95 });
    expectDone(await rollbacks.rollback(CALLER, { ...input, expectedRevision: newest }));
    await release();
  });
});

describe('a configuration', () => {
  it('is rejected while a committed change of one of its tenants is in no revision', async () => {
    const configs = services.context.get(ConfigService, { strict: false });
    const expectedRevision = await release();
    const tenants = { acme: { name: 'Acme', tier: 'pro' } };
    const input = {
      document: JSON.stringify({ version: 1, tenants }),
      mode: 'APPLY' as const,
      expectedRevision,
    };
    await override('other', 302, 'Not in this configuration');
    expectDone(await configs.apply(CALLER, input));
    expect(await configs.apply(CALLER, input)).toMatchObject({
      ok: false,
      errors: [{ code: 'CONFLICT', field: ['expectedRevision'] }],
    });
  });
});

const terms = (name: string, limit: number) => ({
  ...{ name, limit, operations: [name], per: [], windowMs: 60_000 },
  algorithm: 'FIXED_WINDOW' as const,
});

async function createTier(key: string, limit: number): Promise<void> {
  expectDone(await tiers.create(CALLER, { key, name: key }));
  await publish(key, limit, `New tier ${key}`);
}

/** Publishes `per-minute`, with another limit for `other`. */
async function publish(tierKey: string, limit: number, reason: string, other = 1): Promise<void> {
  const { version: expectedVersion = 0 } = (await tiers.findByKey(tierKey)) ?? {};
  const limits = [terms('per-minute', limit), terms('other', other)].map((one) => ({
    ...one,
    apiKey: 'shop',
  }));
  expectDone(await tiers.publish(CALLER, { tierKey, limits, expectedVersion, reason }));
}

async function createTenant(key: string, tierKey: string): Promise<void> {
  expectDone(await tenants.create(CALLER, { key, name: key, tierKey, reason: key }));
}

function expectDone(outcome: { ok: boolean; errors?: unknown }): void {
  expect(outcome.errors ?? []).toEqual([]);
}

/** Returns its id. */
async function override(tenantKey: string, limit: number, reason: string): Promise<string> {
  const { version: expectedVersion = 0 } = (await tenants.findByKey(tenantKey)) ?? {};
  const target = { tenantKey, apiKey: 'shop', limit: 'per-minute', expectedVersion, reason };
  const outcome = await overrides.set(CALLER, { ...target, effect: { kind: 'SET', limit } });
  expectDone(outcome);
  return (outcome.ok && outcome.value.row?.id) || '';
}

/** Publishes all changes since in one revision. Returns the newest revision. */
async function release(): Promise<number> {
  await services.context.get(RelayService, { strict: false }).run();
  const newest = await services.context.get(RevisionsRepository, { strict: false }).findNewest();
  return newest?.number ?? 0;
}

async function ladder(tenantKey: string, limitName: string, revision?: number) {
  const found = await services.context
    .get(LimitLadderService, { strict: false })
    .find({ tenantKey, apiKey: 'shop', limitName, ...(revision === undefined ? {} : { revision }) });
  const text = ({ action, reason }: { action: string; reason: string | null }) => `${action}: ${reason}`;
  const { limit, tierChange, introduced, sources } = found ?? {};
  return {
    limit: limit?.limit.limit,
    tierChange: tierChange && text(tierChange),
    sources: sources?.map(({ reason }) => reason),
    introduced: introduced && [introduced.revision, introduced.changes.map(text)],
  };
}
