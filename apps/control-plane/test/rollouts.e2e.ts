import { DecisionPlane } from '@tollgate/decision-plane';
import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy, LIMIT, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { Shop } from './support/shop.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
const TENANTS = ['acme', 'berlin', 'tagged', 'named', ...Array.from({ length: 20 }, (_, i) => `t${i}`)];

beforeAll(async () => {
  app = await startTestApp({ PAYMENT_TEST_ENABLED: 'true' });
  await createPolicy(app);
  for (const key of TENANTS.slice(1)) {
    const more = key === 'berlin' ? { timeZone: 'Europe/Berlin', billingAnchorDay: 15 } : {};
    const tags = key === 'tagged' ? ['beta'] : [];
    await mutate(
      'tenantCreate',
      'TenantCreateInput',
      { key, name: key, tierKey: 'basic', tags, ...more },
      '',
    );
  }
});
afterAll(() => app.stop());

async function mutate(name: string, type: string, input: object, fields: string) {
  const document = `mutation($input: ${type}!) { result: ${name}(input: $input) { ${fields} userErrors { code field message } } }`;
  const { data, errors } = await app.graphql(document, { input });
  expect(errors).toEqual([]);
  return data.result;
}

async function publish(limit: number, terms: object) {
  const draft = {
    tierKey: 'basic',
    expectedVersion: await versionOf(app, 'tier', 'basic'),
    limits: [{ ...LIMIT, limit }],
  };
  expect((await app.graphql(SAVE_DRAFT, { input: draft })).data.tierDraftSave.userErrors).toEqual([]);
  const input = { tierKey: 'basic', expectedVersion: draft.expectedVersion + 1, ...terms };
  return mutate(
    'tierPublish',
    'TierPublishInput',
    input,
    'changeId tier { published { number audience cohort { percent } } }',
  );
}

const FIELDS = 'key version subscription { tierVersion { number } pinned pinnedByRollout followsAt }';
const subscriptionOf = async (key: string) =>
  (await app.graphql(`query($key: String!) { tenant(key: $key) { ${FIELDS} } }`, { key })).data.tenant
    .subscription;

/** Number of tenants per version, newest first. */
const countsOf = async () =>
  (await app.graphql('{ tier(key: "basic") { versions { number tenantCount } } }')).data.tier.versions.map(
    ({ number, tenantCount }: { number: number; tenantCount: number }) => [number, tenantCount],
  );

const untilCounts = (expected: [number, number][]) =>
  eventually(async () => JSON.stringify(await countsOf()) === JSON.stringify(expected));

describe('a publication', () => {
  it('for new tenants only pins existing tenants, with one record each to publish', async () => {
    const { changeId, tier } = await publish(20, { audience: 'NEW_TENANTS_ONLY' });
    expect(tier.published).toMatchObject({ number: 2, audience: 'NEW_TENANTS_ONLY', cohort: null });
    expect(await countsOf()).toEqual([
      [2, 0],
      [1, TENANTS.length],
    ]);
    expect(await subscriptionOf('acme')).toMatchObject({
      tierVersion: { number: 1 },
      pinned: true,
      pinnedByRollout: true,
      followsAt: null,
    });
    await mutate('tenantCreate', 'TenantCreateInput', { key: 'fresh', name: 'Fresh', tierKey: 'basic' }, '');
    expect(await subscriptionOf('fresh')).toMatchObject({ tierVersion: { number: 2 }, pinned: false });
    const events = await app.database.outboxEvent.groupBy({
      by: ['kind'],
      where: { changeId },
      _count: true,
    });
    expect(Object.fromEntries(events.map(({ kind, _count }) => [kind, _count]))).toEqual({
      CATALOGUE: 1,
      TENANT: TENANTS.length,
    });
  });

  it('migrates pinned tenants once each, with a notice and a higher version', async () => {
    const before = await versionOf(app, 'tenant', 'acme');
    const migrated = await mutate(
      'tierMigrate',
      'TierMigrateInput',
      { tierKey: 'basic', fromVersion: 1, carryOver: 'RESET' },
      'tenants tier { key }',
    );
    expect(migrated).toEqual({ tenants: TENANTS.length, tier: { key: 'basic' }, userErrors: [] });
    await untilCounts([
      [2, TENANTS.length + 1],
      [1, 0],
    ]);
    expect(await subscriptionOf('acme')).toEqual({
      tierVersion: { number: 2 },
      pinned: false,
      pinnedByRollout: false,
      followsAt: null,
    });
    expect(await versionOf(app, 'tenant', 'acme')).toBe(before + 1);
    const moved = { kind: 'subscription.moved' };
    expect(await app.database.notice.count({ where: moved })).toBe(TENANTS.length);
    const moves = await app.database.subscriptionMove.findMany({ where: { versionNumber: 1 } });
    expect(moves).toHaveLength(TENANTS.length);
    expect(new Set(moves.map(({ carryOver }) => carryOver))).toEqual(new Set(['RESET']));
  });

  it('at period end pins each tenant until its billing period ends in its time zone, then moves it once', async () => {
    await publish(30, { audience: 'AT_PERIOD_END', carryOver: 'PROPORTIONAL' });
    const [utc, berlin] = [await subscriptionOf('acme'), await subscriptionOf('berlin')];
    expect(utc.followsAt).toMatch(/-01T00:00:00.000Z$/);
    // Midnight of the 15th in Berlin.
    expect(berlin.followsAt).toMatch(/-14T2[23]:00:00.000Z$/);
    expect(await countsOf()).toEqual([
      [3, 0],
      [2, TENANTS.length + 1],
      [1, 0],
    ]);
    await app.database.subscription.updateMany({
      where: { tenant: { key: 'berlin' } },
      data: { followsAt: new Date(Date.now() - 1000) },
    });
    await untilCounts([
      [3, 1],
      [2, TENANTS.length],
      [1, 0],
    ]);
    const move = await app.database.subscriptionMove.findFirst({
      where: { subscription: { tenant: { key: 'berlin' } } },
      orderBy: { at: 'desc' },
    });
    expect(move).toMatchObject({ versionNumber: 2, carryOver: 'PROPORTIONAL' });
    await mutate('tierMigrate', 'TierMigrateInput', { tierKey: 'basic' }, '');
    await untilCounts([
      [3, TENANTS.length + 1],
      [2, 0],
      [1, 0],
    ]);
  });

  it('at period end uses the billing time of a tenant that moves to a test clock meanwhile', async () => {
    const shop = new Shop(app);
    const DAY_MS = 86_400_000;
    const at = (days: number) => new Date(Date.now() + days * DAY_MS);
    await shop.advance('acme', at(70));
    await publish(35, { audience: 'AT_PERIOD_END' });
    const held = await subscriptionOf('acme');
    const [standsAt, followsAt] = [at(70).getTime(), Date.parse(held.followsAt)];
    expect(followsAt).toBeGreaterThan(standsAt);
    expect(followsAt).toBeLessThan(standsAt + 32 * DAY_MS);
    // Another billing day means another end of the period.
    const { billingAnchorDay } = await app.database.tenant.findUniqueOrThrow({ where: { key: 't1' } });
    const moved = {
      tenantKey: 't1',
      billingAnchorDay: 20,
      expectedVersion: await versionOf(app, 'tenant', 't1'),
    };
    expect([billingAnchorDay, (await subscriptionOf('t1')).followsAt]).toEqual([
      1,
      expect.stringMatching(/-01T00:00:00.000Z$/),
    ]);
    await mutate('tenantUpdate', 'TenantUpdateInput', moved, 'tenant { key }');
    expect((await subscriptionOf('t1')).followsAt).toMatch(/-20T00:00:00.000Z$/);
    // The period ends earlier in real time; the job must not use that.
    const realEnd = Date.parse((await subscriptionOf('berlin')).followsAt);
    expect(realEnd).toBeLessThan(standsAt);
    await shop.advance('acme', new Date(followsAt - 1000));
    expect(await subscriptionOf('acme')).toMatchObject({ tierVersion: { number: 3 }, pinnedByRollout: true });
    await shop.advance('acme', new Date(followsAt + DAY_MS));
    expect(await subscriptionOf('acme')).toEqual({
      tierVersion: { number: 4 },
      pinned: false,
      pinnedByRollout: false,
      followsAt: null,
    });
    await mutate('tierMigrate', 'TierMigrateInput', { tierKey: 'basic' }, '');
    await untilCounts([
      [4, TENANTS.length + 1],
      [3, 0],
      [2, 0],
      [1, 0],
    ]);
  });

  it('migrates a tenant on a test clock immediately', async () => {
    await publish(36, { audience: 'NEW_TENANTS_ONLY' });
    await mutate('tierMigrate', 'TierMigrateInput', { tierKey: 'basic' }, '');
    await untilCounts([
      [5, TENANTS.length + 1],
      [4, 0],
      [3, 0],
      [2, 0],
      [1, 0],
    ]);
  });

  it('to a cohort reaches tagged and listed tenants and a percentage, and only grows', async () => {
    const cohort = { tags: ['beta'], tenantKeys: ['named'], percent: 20 };
    const { tier } = await publish(40, { audience: 'COHORT', cohort });
    expect(tier.published.cohort).toEqual({ percent: 20 });
    const reached = async () =>
      (
        await app.database.tenant.findMany({
          where: { subscription: { pinnedVersionNumber: null } },
          select: { key: true },
        })
      ).map(({ key }) => key);
    const first = await reached();
    expect(first).toEqual(expect.arrayContaining(['tagged', 'named']));
    expect(first.length).toBeLessThan(TENANTS.length);
    const wrong = await mutate(
      'tierCohortExtend',
      'TierCohortExtendInput',
      { tierKey: 'basic', cohort: {} },
      'tenants',
    );
    expect(wrong).toMatchObject({ tenants: 0, userErrors: [{ code: 'INVALID', field: ['cohort'] }] });
    const none = await mutate(
      'tierCohortExtend',
      'TierCohortExtendInput',
      { tierKey: 'basic', cohort: { percent: 20 } },
      'tenants',
    );
    expect(none.tenants).toBe(0);
    const more = await mutate(
      'tierCohortExtend',
      'TierCohortExtendInput',
      { tierKey: 'basic', cohort: { percent: 70 } },
      'tenants',
    );
    await eventually(async () => (await reached()).length === first.length + more.tenants);
    expect(await reached()).toEqual(expect.arrayContaining(first));
  });

  it.each([
    [{ audience: 'COHORT' }, ['cohort']],
    [{ audience: 'EVERYONE_NOW', cohort: { percent: 1 } }, ['cohort']],
    [{ audience: 'COHORT', cohort: { percent: 101 } }, ['cohort', 'percent']],
  ])('with %j is rejected with the field', async (terms, field) => {
    const input = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic'), ...terms };
    const { userErrors } = await mutate('tierPublish', 'TierPublishInput', input, '');
    expect(userErrors).toMatchObject([{ code: 'INVALID', field }]);
  });

  it('skips tenants pinned manually, unless they are listed, and tenants pinned by a file', async () => {
    const pin = {
      tenantKey: 'fresh',
      tierKey: 'basic',
      pinnedVersion: 2,
      expectedVersion: await versionOf(app, 'tenant', 'fresh'),
    };
    await mutate('tenantTierChange', 'TenantTierChangeInput', pin, 'tenant { key }');
    expect(
      (await mutate('tierMigrate', 'TierMigrateInput', { tierKey: 'basic', fromVersion: 2 }, 'tenants'))
        .tenants,
    ).toBe(0);
    const all = { tierKey: 'basic', fromVersion: 2, includePinned: true };
    const migrate = (more: object) =>
      mutate('tierMigrate', 'TierMigrateInput', { ...all, ...more }, 'tenants');
    await app.database.tenant.update({ where: { key: 'fresh' }, data: { managedBy: 'CONFIG' } });
    expect((await migrate({ dryRun: true })).tenants).toBe(0);
    expect((await migrate({ dryRun: true, force: true })).userErrors).toMatchObject([
      { code: 'INVALID', field: ['reason'] },
    ]);
    expect((await migrate({ dryRun: true, force: true, reason: 'It is urgent' })).tenants).toBe(1);
    await app.database.tenant.update({ where: { key: 'fresh' }, data: { managedBy: 'CONSOLE' } });
    expect((await migrate({})).tenants).toBe(1);
  });
});

describe('a downgrade below existing usage', () => {
  it('warns in the preview and when it is applied', async () => {
    const used = `mutation { tenantTierChange(input: { tenantKey: "acme", tierKey: "small", expectedVersion: VERSION, dryRun: true }) {
      warnings { apiKey name used limit message } userErrors { message } } }`;
    await mutate('tierCreate', 'TierCreateInput', { key: 'small', name: 'Small' }, '');
    const draft = { tierKey: 'small', expectedVersion: 1, limits: [{ ...LIMIT, limit: 1 }] };
    await app.graphql(SAVE_DRAFT, { input: draft });
    await mutate('tierPublish', 'TierPublishInput', { tierKey: 'small', expectedVersion: 2 }, '');
    await spend('acme', 3);
    const version = await versionOf(app, 'tenant', 'acme');
    const { data, errors } = await app.graphql(used.replace('VERSION', String(version)));
    expect(errors).toEqual([]);
    expect(data.tenantTierChange).toMatchObject({
      userErrors: [],
      warnings: [{ apiKey: 'shop', name: 'per-minute', used: 3, limit: 1 }],
    });
  });
});

/** Charges a tenant on a separate node. */
async function spend(tenant: string, cost: number): Promise<void> {
  const plane = await DecisionPlane.start({
    countersUrl: app.redisUrl,
    configUrl: app.redisUrl,
    policyKeys: 'unsigned',
    nodeId: 'n1',
    version: 'test',
    deadlineMs: 5000,
  });
  const request = { tenant, api: 'shop', operation: 'buy', subject: {}, cost };
  expect(await plane.limit(request)).toMatchObject({ success: true, source: 'tier' });
  await plane.close();
}
