import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy, LIMIT, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
});
afterAll(() => app.stop());

async function dryRun(
  mutation: string,
  input: string,
): Promise<{ impact: object | null; userErrors: object[] }> {
  const query = `mutation { result: ${mutation}(input: { ${input} dryRun: true }) {
    impact { tenants increased decreased } userErrors { code } } }`;
  const { data, errors } = await app.graphql(query);
  expect(errors).toEqual([]);
  return data.result;
}

/** Everything that a change could leave behind. */
async function rows() {
  const { tier, tierVersion, tenant, api, auditEntry, outboxEvent } = app.database;
  return [
    await tier.findMany(),
    await tierVersion.findMany(),
    await tenant.findMany(),
    await api.findMany(),
    await auditEntry.count(),
    await outboxEvent.count(),
  ];
}

const saveDraft = async (limits: object[]) =>
  app.graphql(
    'mutation($input: TierDraftSaveInput!) { tierDraftSave(input: $input) { userErrors { code } } }',
    {
      input: { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic'), limits },
    },
  );

describe('a dry run', () => {
  it('of a publication counts tenants with increased and decreased limits at any scale and changes nothing', async () => {
    await saveDraft([{ ...LIMIT, limit: 20 }]);
    await app.database.$executeRaw`
      WITH made AS (INSERT INTO tenant (id, key, name) SELECT 'ten_bulk' || n, 'bulk' || n, 'Bulk' FROM generate_series(1, 5000) n RETURNING id)
      INSERT INTO subscription (id, tenant_id, tier_id, pinned_version_number)
        SELECT 'sub' || made.id, made.id, tier.id, CASE WHEN right(made.id, 1) = '7' THEN 1 END FROM made, tier WHERE tier.key = 'basic'`;
    const before = await rows();
    const version = await versionOf(app, 'tier', 'basic');
    const { impact, userErrors } = await dryRun(
      'tierPublish',
      `tierKey: "basic", expectedVersion: ${version}`,
    );
    expect(userErrors).toEqual([]);
    // One in ten is pinned to the version before.
    expect(impact).toEqual({ tenants: 4501, increased: 4501, decreased: 0 });
    expect(await rows()).toEqual(before);
    await app.database.$executeRaw`DELETE FROM tenant WHERE key LIKE 'bulk%'`;
  });

  it('of a lower limit counts a decrease', async () => {
    await saveDraft([{ ...LIMIT, limit: 5 }]);
    const version = await versionOf(app, 'tier', 'basic');
    const { impact } = await dryRun('tierPublish', `tierKey: "basic", expectedVersion: ${version}`);
    expect(impact).toEqual({ tenants: 1, increased: 0, decreased: 1 });
  });

  it('of limits without a draft names affected tenants and those whose recent usage exceeds them', async () => {
    const series = await app.database.usageSeries.create({
      data: { api: 'shop', operation: 'buy', limitName: 'per-minute', outcome: 'ALLOWED' },
    });
    const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
    const at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000);
    await app.database.usageMinute.create({
      data: { tenantId, at, seriesId: series.id, count: 8, units: 8 },
    });
    const before = await rows();
    const publish = (limit: number) =>
      app.graphql(
        `mutation($input: TierPublishInput!) { tierPublish(input: $input) { userErrors { code }
          impact { sample { tenantKey tenantName increased decreased } overruns { tenantKey limitName limit peak at } } } }`,
        {
          input: {
            tierKey: 'basic',
            expectedVersion: version,
            limits: [{ ...LIMIT, limit }],
            dryRun: true,
          },
        },
      );
    const version = await versionOf(app, 'tier', 'basic');
    const { data, errors } = await publish(5);
    expect(errors).toEqual([]);
    expect(data.tierPublish).toEqual({
      userErrors: [],
      impact: {
        sample: [{ tenantKey: 'acme', tenantName: 'Acme', increased: false, decreased: true }],
        overruns: [{ tenantKey: 'acme', limitName: 'per-minute', limit: 5, peak: 8, at: at.toISOString() }],
      },
    });
    expect((await publish(9)).data.tierPublish.impact.overruns).toEqual([]);
    expect((await publish(20)).data.tierPublish.impact.sample).toMatchObject([{ increased: true }]);
    expect(await rows()).toEqual(before);
  });

  const NESTED = `tenant { key members { email } subscription { tier { key } tierVersion { number } pinned }
    effectiveLimits { source limit { name limit } } }`;
  const nested = async (mutation: string, input: string) => {
    const { data, errors } = await app.graphql(
      `mutation { result: ${mutation}(input: { ${input} dryRun: true }) { changeId ${NESTED} impact { tenants increased decreased } userErrors { code } } }`,
    );
    expect(errors).toEqual([]);
    return data.result;
  };

  it('of a new tenant returns it with its limits and stores nothing', async () => {
    const before = await rows();
    const number = (await app.database.tierVersion.findFirstOrThrow({ where: { status: 'PUBLISHED' } }))
      .number;
    expect(await nested('tenantCreate', 'key: "fresh", name: "Fresh", tierKey: "basic",')).toEqual({
      changeId: null,
      tenant: {
        key: 'fresh',
        members: [],
        subscription: { tier: { key: 'basic' }, tierVersion: { number }, pinned: false },
        effectiveLimits: [{ source: 'TIER', limit: { name: 'per-minute', limit: 10 } }],
      },
      impact: { tenants: 1, increased: 0, decreased: 0 },
      userErrors: [],
    });
    expect(await rows()).toEqual(before);
  });

  it('of a tier change returns the limits of the new tier', async () => {
    const made = [
      'tierCreate(input: { key: "wide", name: "Wide" })',
      'tierPublish(input: { tierKey: "wide", expectedVersion: 2 })',
    ];
    await app.graphql(`mutation { ${made[0]} { userErrors { code } } }`);
    const draft = { tierKey: 'wide', expectedVersion: 1, limits: [{ ...LIMIT, limit: 99 }] };
    await app.graphql(SAVE_DRAFT, { input: draft });
    await app.graphql(`mutation { ${made[1]} { userErrors { code } } }`);
    const version = await versionOf(app, 'tenant', 'acme');
    const input = `tenantKey: "acme", tierKey: "wide", expectedVersion: ${version},`;
    expect(await nested('tenantTierChange', input)).toMatchObject({
      tenant: {
        subscription: { tier: { key: 'wide' } },
        effectiveLimits: [{ limit: { name: 'per-minute', limit: 99 } }],
      },
      impact: { tenants: 1, increased: 1, decreased: 0 },
    });
    const { data } = await app.graphql('{ tenant(key: "acme") { subscription { tier { key } } } }');
    expect(data.tenant.subscription.tier.key).toBe('basic');
  });

  it('of an archival returns a tenant without limits', async () => {
    const version = await versionOf(app, 'tenant', 'acme');
    const { data, errors } = await app.graphql(
      `mutation { tenantArchive(input: { tenantKey: "acme", expectedVersion: ${version}, dryRun: true }) {
        tenant { status } impact { tenants } userErrors { code } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.tenantArchive).toEqual({
      tenant: { status: 'ARCHIVED' },
      impact: { tenants: 1 },
      userErrors: [],
    });
    expect((await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } })).status).toBe('ACTIVE');
  });

  it.each([
    [
      'a cohort affects only the named tenants',
      'COHORT',
      { tenantKeys: ['second', 'third'] },
      ['second', 'third'],
    ],
    ['a cohort reaches by tag', 'COHORT', { tags: ['beta'] }, ['tagged']],
    ['newcomers reaches nobody who is there', 'NEW_TENANTS_ONLY', null, []],
    ['the end of periods reaches all, later', 'AT_PERIOD_END', null, ['acme', 'second', 'tagged', 'third']],
  ])('of a publication for %s', async (_, audience, cohort, reached) => {
    const tagged = { second: [], third: [], tagged: ['beta'] };
    for (const [key, tags] of Object.entries(tagged)) {
      const input = { key, name: key, tierKey: 'basic', tags };
      await app.graphql('mutation($input: TenantCreateInput!) { tenantCreate(input: $input) { changeId } }', {
        input,
      });
    }
    const before = await rows();
    const { data, errors } = await app.graphql(
      `mutation($input: TierPublishInput!) { tierPublish(input: $input) { userErrors { code }
        impact { tenants increased decreased sample { tenantKey decreased } } } }`,
      {
        input: {
          tierKey: 'basic',
          expectedVersion: await versionOf(app, 'tier', 'basic'),
          limits: [{ ...LIMIT, limit: 5 }],
          dryRun: true,
          audience,
          cohort,
        },
      },
    );
    expect(errors).toEqual([]);
    expect(data.tierPublish).toEqual({
      userErrors: [],
      impact: {
        tenants: reached.length,
        increased: 0,
        decreased: reached.length,
        sample: reached.map((tenantKey) => ({ tenantKey, decreased: true })),
      },
    });
    expect(await rows()).toEqual(before);
    await app.database.tenant.deleteMany({ where: { key: { in: Object.keys(tagged) } } });
  });

  it('of a suspension counts a decrease', async () => {
    const version = await versionOf(app, 'tenant', 'acme');
    const { impact } = await dryRun('tenantSuspend', `tenantKey: "acme", expectedVersion: ${version}`);
    expect(impact).toEqual({ tenants: 1, increased: 0, decreased: 1 });
    expect((await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } })).status).toBe('ACTIVE');
  });

  it('of a higher operation cost counts a decrease for all tenants with limits on the API', async () => {
    const version = await versionOf(app, 'api', 'shop');
    const input = `apiKey: "shop", name: "buy", cost: 3, expectedVersion: ${version}`;
    expect((await dryRun('operationUpdate', input)).impact).toEqual({
      tenants: 1,
      increased: 0,
      decreased: 1,
    });
  });

  it('of a change without effect on the policy has no impact', async () => {
    expect((await dryRun('tierCreate', 'key: "new", name: "New"')).impact).toBeNull();
    expect(await app.database.tier.count({ where: { key: 'new' } })).toBe(0);
  });

  it('returns the errors of the change', async () => {
    const { impact, userErrors } = await dryRun('tenantSuspend', 'tenantKey: "acme", expectedVersion: 99');
    expect(userErrors).toEqual([{ code: 'CONFLICT' }]);
    expect(impact).toBeNull();
  });

  it('has no impact when the same mutation runs without dryRun', async () => {
    const version = await versionOf(app, 'tenant', 'acme');
    const { data } =
      await app.graphql(`mutation { tenantSuspend(input: { tenantKey: "acme", expectedVersion: ${version} }) {
      impact { tenants } changeId tenant { status } } }`);
    expect(data.tenantSuspend).toMatchObject({ impact: null, tenant: { status: 'SUSPENDED' } });
    expect(data.tenantSuspend.changeId).toMatch(/^chg_/);
  });

  it('does not block others when there are more dry runs than connections', async () => {
    const version = await versionOf(app, 'tenant', 'acme');
    const answers = await Promise.all(
      Array.from({ length: 15 }, () =>
        dryRun('tenantResume', `tenantKey: "acme", expectedVersion: ${version}`),
      ),
    );
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
  });
});
