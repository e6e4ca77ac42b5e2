import { exchangePool } from '@tollgate/decision-plane/operate';
import { compilePool } from '@tollgate/policy';
import { buildSchema, GraphQLInterfaceType } from 'graphql';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSchemaText } from '../src/schema-text.js';
import { createPolicy, LIMIT, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { Shop, TOPUP } from './support/shop.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let types: string[];
let known: Record<string, string | undefined>;

const PER_MINUTE = 'apiKey: "shop", limit: "per-minute"';

beforeAll(async () => {
  app = await startTestApp({ PAYMENT_TEST_ENABLED: 'true', PAYMENT_INVOICE_ENABLED: 'true' });
  await createPolicy(app);
  const schema = buildSchema(await buildSchemaText());
  types = schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType).map(({ name }) => name);
  const run = async (name: string, input: string) => {
    const { data, errors } = await app.graphql(
      `mutation { result: ${name}(input: { ${input} }) { userErrors { message } } }`,
    );
    expect([...errors, ...(data?.result.userErrors ?? [])], name).toEqual([]);
  };
  const version = async () => `expectedVersion: ${await versionOf(app, 'tenant', 'acme')}`;
  const of = 'tenantKey: "acme"';
  await run(
    'poolCreate',
    `apiKey: "shop", name: "main", capacity: 10, warmUp: { ms: 3600000, startPercent: 50 }, expectedVersion: 3`,
  );
  const expectedVersion = await versionOf(app, 'tier', 'basic');
  const draft = { tierKey: 'basic', expectedVersion, limits: [{ ...LIMIT, limit: 12 }] };
  await app.graphql(SAVE_DRAFT, { input: draft });
  const tier = `tierKey: "basic", expectedVersion: ${expectedVersion + 1}`;
  await run('tierPublish', `${tier}, guard: { maxDenialRise: 1, minDecisions: 1000, withinMinutes: 30 }`);
  const gift = `source: TOPUP, label: "Gift", effects: [{ effect: { kind: ADD, units: 5 } }]`;
  await run('entitlementGrant', `${of}, ${await version()}, ${gift}`);
  await run(
    'overrideSet',
    `${of}, ${await version()}, ${PER_MINUTE}, effect: { kind: SET, limit: 50 }, reason: "So"`,
  );
  await run(
    'subjectRuleSet',
    `${of}, dimension: "user", pattern: "mallory", effect: { kind: DENY }, reason: "So"`,
  );
  await run('quotaRequestCreate', `${of}, ${PER_MINUTE}, wanted: 900, why: "More"`);
  await run('apiKeyCreate', `${of}, name: "One", mode: LIVE`);
  await run('serviceTokenCreate', 'name: "One", scopes: ["read"]');
  await run('changeSetCreate', 'title: "One"');
  await run('webhookEndpointCreate', `${of}, url: "https://hooks.example/"`);
  const { id } = await app.database.webhookEndpoint.findFirstOrThrow();
  await run('webhookEndpointTest', `id: "${id}", expectedVersion: 1`);
  const shop = new Shop(app);
  await shop.sell(TOPUP);
  await shop.order(TOPUP, { provider: 'INVOICE' });
  const boost = `apiKey: "shop", effect: { kind: ADD, units: 5 }, endsAt: "${new Date(Date.now() + 3_600_000).toISOString()}"`;
  await run('bulkActionStart', `kind: BOOST, tenantKeys: ["acme"], adjustment: { ${boost} }, reason: "One"`);
  await app.signIn('OWNER');
  known = await ids();
});
afterAll(() => app.stop());

/** One id of each type; all tenant objects belong to acme. */
async function ids(): Promise<Record<string, string | undefined>> {
  const { database } = app;
  const rows: Record<string, { id: string } | null> = {
    Api: await database.api.findFirst(),
    ApiKey: await database.apiKey.findFirst(),
    AuditEntry: await database.auditEntry.findFirst(),
    BulkAction: await database.bulkAction.findFirst(),
    ChangeSet: await database.changeSet.findFirst(),
    Entitlement: await database.entitlement.findFirst(),
    Invoice: await database.invoice.findFirst(),
    Limit: await database.limit.findFirst({ where: { name: LIMIT.name } }),
    Notice: await database.notice.findFirst({ where: { tenantKey: 'acme' } }),
    Offer: await database.offer.findFirst(),
    Operation: await database.operation.findFirst(),
    Operator: await database.user.findFirst({ where: { role: { not: null } } }),
    Override: await database.override.findFirst(),
    Pool: await database.pool.findFirst(),
    PublicationGuard: await database.publicationGuard.findFirst(),
    Purchase: await database.purchase.findFirst(),
    QuotaRequest: await database.quotaRequest.findFirst(),
    SubjectRule: await database.subjectRule.findFirst(),
    ServiceToken: await database.serviceToken.findFirst(),
    Tenant: await database.tenant.findFirst(),
    Tier: await database.tier.findFirst(),
    TierVersion: await database.tierVersion.findFirst(),
    WebhookDelivery: await database.webhookDelivery.findFirst(),
    WebhookEndpoint: await database.webhookEndpoint.findFirst(),
  };
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row?.id]));
}

const find = async (id: string | undefined, headers?: Record<string, string>) =>
  (await app.graphql('query($id: ID!) { node(id: $id) { __typename id } }', { id }, headers)).data.node;

describe('node(id)', () => {
  it('finds an object of every type that implements Node', async () => {
    expect(Object.keys(known).sort()).toEqual(types.toSorted());
    for (const [name, id] of Object.entries(known))
      expect(await find(id), name).toEqual({ __typename: name, id });
  });

  it('finds a pool with its current capacity', async () => {
    const warmUp = { ms: 3_600_000, startPercent: 50 };
    const pool = compilePool('shop', {
      name: 'main',
      operations: [],
      capacity: 10,
      reclaimPercent: 80,
      warmUp,
    });
    const silent = { own: [0, 0, 0], demand: [0, 0, 0], borrowers: [], services: [] } as const;
    const redis = new Redis(app.redisUrl);
    await exchangePool(redis, pool, { node: 'n1', ...silent, coldStartAgeMs: 0 });
    redis.disconnect();
    const query =
      'query($id: ID!) { node(id: $id) { ... on Pool { warmUp { ms } live { capacity warmUpLeftMs } } } }';
    // Null while Redis does not answer in time.
    await expect
      .poll(async () => (await app.graphql(query, { id: known.Pool })).data.node)
      .toEqual({
        warmUp: { ms: 3_600_000 },
        live: { capacity: 5, warmUpLeftMs: expect.closeTo(3_600_000, -6) },
      });
  });

  it('finds objects of a tenant for its members, and none of another tenant', async () => {
    await app.graphql(
      'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { tenant { id } } }',
    );
    const tenantId = async (key: string) =>
      (await app.database.tenant.findUniqueOrThrow({ where: { key } })).id;
    const own = await app.signInMember(await tenantId('acme'), 'OWNER');
    const other = await app.signInMember(await tenantId('other'), 'OWNER');
    const found = async (headers: Record<string, string>) => {
      const all = await Promise.all(
        Object.entries(known).map(async ([name, id]) => ((await find(id, headers)) ? [name] : [])),
      );
      return all.flat();
    };
    const ofTenant = [
      'ApiKey',
      'Entitlement',
      'Invoice',
      'Notice',
      'Override',
      'Purchase',
      'QuotaRequest',
      'SubjectRule',
      'Tenant',
    ];
    expect(await found(own)).toEqual([...ofTenant, 'WebhookDelivery', 'WebhookEndpoint']);
    expect(await found(other)).toEqual([]);
  });
});
