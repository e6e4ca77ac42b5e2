import { readFileSync } from 'node:fs';
import { BUILD } from '@tollgate/contracts/environment';
import { eventually } from '@tollgate/test-kit';
import { buildSchema } from 'graphql';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HandlerRuleCheck } from '../src/platform/access/permission.guard.js';
import { createPolicy, LIMIT, PUBLISH, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { readPolicy, readTenant } from './support/published-policy.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let redis: Redis;

beforeAll(async () => {
  app = await startTestApp();
  redis = new Redis(app.redisUrl);
  await createPolicy(app);
});
afterAll(async () => {
  redis.disconnect();
  await app.stop();
});

describe('a change', () => {
  it('reaches Redis, and propagation returns its revision', async () => {
    await save([{ ...LIMIT, limit: 77 }]);
    const { data } = await app.graphql(PUBLISH, {
      input: { tierKey: 'basic', expectedVersion: await version() },
    });
    const published = await eventually(() => findPublished(data.tierPublish.changeId));
    expect(published).toMatchObject({ state: 'PUBLISHED', totalNodes: 0, liveNodes: 0, nodes: [] });
    const { head, catalogue } = await readPolicy(redis);
    expect(head.revision).toBeGreaterThanOrEqual(published.revision);
    const tier = catalogue.tiers.find((one) => one.key === 'basic');
    expect(tier?.versions).toMatchObject([
      { number: 1, limits: [{ limit: 10 }] },
      {
        number: tier?.currentVersion,
        limits: [{ name: 'per-minute', limit: 77 }],
        replaces: { number: 1, carryOver: 'keep' },
      },
    ]);
  });

  it("of a tenant writes only the tenant's record", async () => {
    const before = await readPolicy(redis);
    const suspend = `mutation($input: TenantStatusInput!) { tenantSuspend(input: $input) { changeId } }`;
    const input = { tenantKey: 'acme', expectedVersion: await versionOf(app, 'tenant', 'acme') };
    const { data } = await app.graphql(suspend, { input });
    const { revision } = await eventually(() => findPublished(data.tenantSuspend.changeId));
    const after = await readPolicy(redis);
    expect(after.head).toMatchObject({
      revision,
      catalogueRevision: before.head.catalogueRevision,
      catalogueHash: before.head.catalogueHash,
    });
    expect(await readTenant(redis, 'acme')).toEqual({
      kind: 'tenant',
      revision,
      tenant: 'acme',
      status: 'suspended',
      tier: 'basic',
      pinnedVersion: null,
    });
  });

  it('writes an audit entry with before, after, actor, reason and request', async () => {
    await save([{ ...LIMIT, limit: 5 }], 'too many bots');
    const { data } = await app.graphql(
      '{ auditEntries(first: 1, entity: "Tier") { nodes { action actor actorKind reason requestId after } } }',
    );
    expect(data.auditEntries.nodes).toMatchObject([
      {
        action: 'tier.draftSave',
        actorKind: 'TOKEN',
        reason: 'too many bots',
        requestId: expect.stringMatching(/^req_/),
        after: { limits: [{ name: 'per-minute', limit: 5 }] },
      },
    ]);
  });
});

describe('an emptied Redis', () => {
  it('is filled again under a new revision, with tenants and the schedule', async () => {
    const before = await readPolicy(redis);
    for (const round of [1, 2]) {
      await redis.flushall();
      const after = await eventually(
        async () => (await redis.exists('tg:policy:head')) === 1 && readPolicy(redis),
      );
      expect(after.head.revision, `round ${round}`).toBeGreaterThan(before.head.revision);
      expect(after.catalogue.apis.map((api) => api.key)).toEqual(['shop']);
      expect(await readTenant(redis, 'acme')).toMatchObject({ tenant: 'acme', tier: 'basic' });
    }
  });
});

describe('handlers', () => {
  it('all have an authorization rule', () => {
    const handlers = app.app.get(HandlerRuleCheck, { strict: false }).list();
    const open = handlers.filter((handler) => !handler.guarded);
    expect(open).toEqual([]);
    // Every root field of the schema and the HTTP handlers: an empty list would prove nothing.
    const names = handlers.map((handler) => handler.name);
    expect(names).toEqual(
      expect.arrayContaining(['TiersResolver.publish', 'AuditExportController.export', 'NodeResolver.find']),
    );
    const schema = buildSchema(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'));
    const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const rootFields = fields.flatMap((type) => Object.keys(type?.getFields() ?? {}));
    expect(names.filter((name) => name.includes('Resolver.'))).toHaveLength(rootFields.length);
  });
});

describe('health', () => {
  it('reports that Postgres and Redis respond, and the build', async () => {
    const ready = await fetch(`${app.url}/readyz`);
    expect(await ready.json()).toEqual({ status: 'ok', checks: { postgres: true, redis: true } });
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${app.url}/version`)).json()).toEqual(BUILD);
  });

  it('announces a shorter idle time of connections than load balancers and this server have', async () => {
    const { headers } = await fetch(`${app.url}/healthz`);
    expect(headers.get('keep-alive')).toBe('timeout=50');
    const { keepAliveTimeout, keepAliveTimeoutBuffer } = app.app.getHttpServer();
    expect(keepAliveTimeout + keepAliveTimeoutBuffer).toBeGreaterThan(60_000);
  });
});

async function findPublished(changeId: string) {
  const query = `query($id: ID!) { propagation(changeId: $id) { state revision publishedAt totalNodes liveNodes nodes { nodeId } } }`;
  const { data } = await app.graphql(query, { id: changeId });
  return data.propagation.state === 'PENDING' ? undefined : data.propagation;
}

const version = () => versionOf(app, 'tier', 'basic');

async function save(limits: object[], reason?: string): Promise<void> {
  const input = { tierKey: 'basic', expectedVersion: await version(), limits, reason };
  const { data } = await app.graphql(SAVE_DRAFT, { input });
  expect(data.tierDraftSave.userErrors).toEqual([]);
}
