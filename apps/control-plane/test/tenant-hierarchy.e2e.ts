import { eventually, startDecisionApiProcess } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicy, LIMIT, versionOf } from './support/policy-factory.js';
import { readTenant } from './support/published-policy.js';
import { signInMember } from './support/sign-in-member.js';
import { startTestApp, type TestApp, testVariables } from './support/test-app.js';

const GROUP = {
  version: 1,
  tiers: {
    group: {
      name: 'Group',
      limits: [
        {
          ...{ name: 'group-hour', api: 'shop', algorithm: 'fixed_window', limit: 5, window: '1h' },
          sharedWithChildren: true,
        },
      ],
    },
  },
  // Not in the order in which they have to be created.
  tenants: {
    berlin: { name: 'Berlin', parent: 'holding', tier: 'basic' },
    holding: { name: 'Holding', tier: 'group' },
  },
};
const CREATE = `mutation($input: TenantCreateInput!) {
  tenantCreate(input: $input) { changeId tenant { key parentKey sharedLimits { name limit } } userErrors { code field message } }
}`;
const APPLY = `mutation($input: ConfigApplyInput!) {
  configApply(input: $input) { changes { action path } userErrors { code field message } }
}`;
const SET_FLOORS = `mutation($input: TenantFloorsSetInput!) {
  tenantFloorsSet(input: $input) { changeId tenant { floors { units } } userErrors { code field message } }
}`;
const EXPLAIN = `query($requestId: String!) { decisionExplanation(tenantKey: "berlin", requestId: $requestId) {
  sharedBy past { tierName limit { limit { limit } } } limits { limitName label before sufficient { field value } }
  minute { replayProblem replay { limit decisions compared mismatches reliable } }
} }`;
const SHARED = `query($key: String!) {
  tenant(key: $key) { parentKey sharedLimits { apiKey name limit common live { used remaining } floor { units live { used } } } }
}`;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ WORKER: 'inline' });
  await createPolicy(app);
});
afterAll(() => app?.stop());

const create = async (input: object) => (await app.graphql(CREATE, { input })).data.tenantCreate;
const apply = async (document: object) =>
  (await app.graphql(APPLY, { input: { document: JSON.stringify(document) } })).data.configApply;
const setFloors = async (tenantKey: string, units: number | null, headers?: Record<string, string>) => {
  const floors = units === null ? [] : [{ apiKey: 'shop', limit: 'group-hour', units }];
  const expectedVersion = await versionOf(app, 'tenant', tenantKey);
  return await app.graphql(
    SET_FLOORS,
    { input: { tenantKey, expectedVersion, floors, reason: 'Test' } },
    headers,
  );
};
/** A denial of a child by its parent's limit, for operators and members of the child. */
const explained = async (requestId: string) => {
  const find = async (headers?: Record<string, string>) =>
    (await app.graphql(EXPLAIN, { requestId }, headers)).data.decisionExplanation;
  const own = { limitName: 'per-minute', label: null, before: LIMIT.limit - 2, sufficient: null };
  const parents = { limitName: 'group-hour', label: 'parent', before: 1 };
  const operator = {
    ...{ sharedBy: 'holding', past: { tierName: 'Group', limit: { limit: { limit: 5 } } } },
    limits: [own, { ...parents, sufficient: { field: 'LIMIT', value: 6 } }],
    // Two requests of the child, one of the parent.
    minute: {
      replayProblem: null,
      replay: { limit: 5, decisions: 3, compared: 3, mismatches: 0, reliable: true },
    },
  };
  await expect.poll(() => find()).toEqual(operator);
  const member = {
    ...{ sharedBy: 'holding', past: null, limits: [own, { ...parents, sufficient: null }] },
    minute: { replayProblem: 'NOT_COVERED', replay: null },
  };
  expect(await find(await signInMember(app, 'berlin', 'OWNER'))).toEqual(member);
};
const shared = async (key: string, headers?: Record<string, string>) =>
  (await app.graphql(SHARED, { key }, headers)).data.tenant;

describe('a parent and its children', () => {
  it('are created by a configuration in any order, which its export repeats', async () => {
    expect((await apply(GROUP)).userErrors).toEqual([]);
    const { tenants } = JSON.parse((await app.graphql('{ configDocument }')).data.configDocument);
    expect(tenants.berlin).toEqual({ name: 'Berlin', parent: 'holding', tier: 'basic' });
    expect(tenants.holding).not.toHaveProperty('parent');
    expect(await apply(GROUP)).toMatchObject({ changes: [], userErrors: [] });
  });

  it('are permanent: a configuration cannot change the parent', async () => {
    const { parent: _, ...alone } = GROUP.tenants.berlin;
    const { userErrors } = await apply({ ...GROUP, tenants: { ...GROUP.tenants, berlin: alone } });
    expect(userErrors).toEqual([
      {
        code: 'INVALID',
        field: ['document', 'tenants', 'berlin', 'parent'],
        message:
          'The parent of a tenant is permanent: write parent: holding, or create a tenant with another key.',
      },
    ]);
  });

  it('need subscriptions:write in the parent: a child uses up its shared limits', async () => {
    const document = {
      ...GROUP,
      tenants: { ...GROUP.tenants, rome: { name: 'Rome', parent: 'holding', tier: 'basic' } },
    };
    const input = { key: 'rome', name: 'Rome', tierKey: 'basic', dryRun: true };
    const support = await app.signIn('SUPPORT');
    const lacking = { code: 'INVALID', message: 'You need the permission subscriptions:write in holding.' };
    const tried = async (headers: Record<string, string>) => ({
      child: (await app.graphql(CREATE, { input: { ...input, parentKey: 'holding' } }, headers)).data
        .tenantCreate,
      tenant: (await app.graphql(CREATE, { input }, headers)).data.tenantCreate,
    });
    expect(await tried(support)).toMatchObject({
      child: { userErrors: [{ ...lacking, field: ['parentKey'] }] },
      tenant: { userErrors: [] },
    });
    expect(await tried(await app.bearer(['tenants']))).toMatchObject({
      child: { userErrors: [] },
      tenant: { userErrors: [] },
    });
    const config = await app.bearer(['config:write', 'tenants:write', 'overrides:write']);
    const variables = {
      input: { document: JSON.stringify({ version: 1, tenants: document.tenants }), dryRun: true },
    };
    expect((await app.graphql(APPLY, variables, config)).data.configApply.userErrors).toMatchObject([
      { ...lacking, field: ['document', 'tenants', 'rome', 'parent'] },
    ]);
  });

  it('have one level, with a message for each other one', async () => {
    const tenant = { name: 'Team', tierKey: 'basic' };
    expect(await create({ ...tenant, key: 'paris', parentKey: 'holding', dryRun: true })).toMatchObject({
      tenant: { parentKey: 'holding', sharedLimits: [{ name: 'group-hour', limit: 5 }] },
      userErrors: [],
    });
    for (const [input, code, message] of [
      [{ key: 'below', parentKey: 'berlin' }, 'INVALID', 'Tenant "berlin" is a child of "holding"'],
      [{ key: 'self', parentKey: 'self' }, 'INVALID', 'A tenant cannot be its own parent.'],
      [{ key: 'orphan', parentKey: 'nobody' }, 'NOT_FOUND', 'tenant "nobody"'],
    ] as const) {
      const { userErrors } = await create({ ...tenant, ...input });
      expect(userErrors).toMatchObject([{ code, field: ['parentKey'] }]);
      expect(userErrors[0].message).toContain(message);
    }
    const { data } = await app.graphql('{ tenants(parent: "holding") { totalCount nodes { key } } }');
    expect(data.tenants).toEqual({ totalCount: 1, nodes: [{ key: 'berlin' }] });
  });

  it('are audited, and a parent cannot be archived before its children', async () => {
    const { data } = await app.graphql(
      '{ auditEntries(first: 50, tenant: "berlin") { nodes { action after } } }',
    );
    const created = data.auditEntries.nodes.find(
      ({ action }: { action: string }) => action === 'tenant.create',
    );
    expect(JSON.stringify(created.after)).toContain('holding');
    const input = {
      tenantKey: 'holding',
      expectedVersion: await versionOf(app, 'tenant', 'holding'),
      reason: 'Test',
    };
    const archive = `mutation($input: TenantStatusInput!) { tenantArchive(input: $input) { userErrors { code message } } }`;
    // Not even with force, which a tenant managed by a configuration needs anyway.
    const answer = await app.graphql(archive, { input: { ...input, force: true } });
    expect(answer.data.tenantArchive.userErrors).toEqual([
      { code: 'IN_USE', message: 'The tenant has 1 child tenant. Archive them first.' },
    ]);
  });

  it('share a limit on a node, and see its usage, but no other tenant', async () => {
    const { authorization = '' } = await app.bearer(['decide']);
    const api = await startDecisionApiProcess({
      REDIS_COUNTERS_URL: app.redisUrl,
      REDIS_CONFIG_URL: app.redisUrl,
      TOKEN_PEPPER: testVariables({ databaseUrl: '', redisUrl: '' }).TOKEN_PEPPER ?? '',
    });
    try {
      // A node that is new or short of CPU answers 404 or 503 and charges nothing.
      const limit = (tenant: string, cost: number) =>
        eventually(async () => {
          const response = await fetch(`${api.url}/v1/limit?status=http`, {
            method: 'POST',
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify({ tenant, api: 'shop', operation: 'buy', cost }),
          });
          return ![404, 503].includes(response.status) && response;
        });
      expect((await limit('berlin', 2)).status).toBe(200);
      expect((await limit('holding', 2)).status).toBe(200);
      const denied = await limit('berlin', 2);
      expect(denied.status).toBe(429);
      expect(denied.headers.get('RateLimit')).toContain('"group-hour/parent";r=1');
      const problem = (await denied.json()) as { requestId: string };
      expect(problem).toMatchObject({ 'violated-policies': ['group-hour/parent'] });
      expect(JSON.stringify(problem)).not.toContain('holding');
      await explained(problem.requestId);
      expect((await limit('acme', LIMIT.limit)).status).toBe(200);
    } finally {
      await api.stop();
    }
    const seen = [
      {
        apiKey: 'shop',
        name: 'group-hour',
        limit: 5,
        common: 5,
        live: { used: 4, remaining: 1 },
        floor: null,
      },
    ];
    expect(await shared('berlin')).toEqual({ parentKey: 'holding', sharedLimits: seen });
    expect(await shared('holding')).toEqual({ parentKey: null, sharedLimits: seen });
    expect((await shared('acme')).sharedLimits).toEqual([]);
  });

  it('keep members of a child from their parent and siblings, and members of the parent from children', async () => {
    const keysOf = async (headers: Record<string, string>) =>
      (await app.graphql('{ tenants { nodes { key } } }', {}, headers)).data.tenants.nodes;
    const child = await signInMember(app, 'berlin', 'OWNER');
    expect(await shared('berlin', child)).toMatchObject({
      sharedLimits: [{ name: 'group-hour', live: { used: 4 } }],
    });
    expect(await keysOf(child)).toEqual([{ key: 'berlin' }]);
    expect(await shared('holding', child)).toBeNull();
    const parent = await signInMember(app, 'holding', 'OWNER');
    expect(await keysOf(parent)).toEqual([{ key: 'holding' }]);
    expect(await shared('berlin', parent)).toBeNull();
    const { data } = await app.graphql('{ tenants(parent: "holding") { nodes { key } } }', {}, parent);
    expect(data.tenants.nodes).toEqual([]);
  });
});

describe('floors of children', () => {
  it('are set by a configuration, and exported by it', async () => {
    const floors = [{ api: 'shop', limit: 'group-hour', units: 2 }];
    const document = { ...GROUP, tenants: { ...GROUP.tenants, berlin: { ...GROUP.tenants.berlin, floors } } };
    expect(await apply(document)).toMatchObject({
      changes: [{ action: 'UPDATE', path: 'tenants.berlin.floors' }],
      userErrors: [],
    });
    const { tenants } = JSON.parse((await app.graphql('{ configDocument }')).data.configDocument);
    expect(tenants.berlin.floors).toEqual(floors);
    expect(await apply(document)).toMatchObject({ changes: [], userErrors: [] });
    expect(await shared('berlin')).toMatchObject({ sharedLimits: [{ common: 3, floor: { units: 2 } }] });
    expect(await shared('holding')).toMatchObject({ sharedLimits: [{ common: 3, floor: null }] });
  });

  it('may need an override of the parent that the same configuration contains', async () => {
    const floors = [{ api: 'shop', limit: 'group-hour', units: 8 }];
    const raised = {
      ...{ api: 'shop', limit: 'group-hour', effect: { kind: 'set', limit: 10 } },
      ...{ expires: '2090-01-01T00:00:00.000Z', reason: 'More shops' },
    };
    const berlin = { ...GROUP.tenants.berlin, floors };
    const holding = { ...GROUP.tenants.holding, overrides: [raised] };
    const input = { document: JSON.stringify({ ...GROUP, tenants: { berlin, holding } }), dryRun: true };
    const { changes, userErrors } = (await app.graphql(APPLY, { input })).data.configApply;
    expect(userErrors).toEqual([]);
    expect(changes).toMatchObject([
      { path: 'tenants.berlin.floors' },
      { path: 'tenants.holding.overrides.0' },
    ]);
  });

  it('add up to the limit at most, with a message that says what is left', async () => {
    const parentKey = 'holding';
    expect(await create({ key: 'rome', name: 'Rome', tierKey: 'basic', parentKey })).toMatchObject({
      userErrors: [],
    });
    const above = (await setFloors('rome', 4)).data.tenantFloorsSet;
    expect(above.userErrors).toEqual([
      {
        code: 'INVALID',
        field: ['floors', '0', 'units'],
        message: 'Of the 5 units of group-hour, other children have 2. Enter 3 at most.',
      },
    ]);
    const set = (await setFloors('rome', 3)).data.tenantFloorsSet;
    expect(set).toMatchObject({ tenant: { floors: [{ units: 3 }] }, userErrors: [] });
    expect((await setFloors('rome', 0)).data.tenantFloorsSet.userErrors[0].message).toBe(
      'units must be 1 or more',
    );
    expect((await setFloors('acme', 1)).data.tenantFloorsSet.userErrors[0].message).toBe(
      'Only a tenant with a parent has floors.',
    );
  });

  it('reach nodes with the record of the parent, and are audited', async () => {
    const redis = new Redis(app.redisUrl);
    try {
      const floors = async () => (await readTenant(redis, 'holding')).floors;
      await expect.poll(floors).toEqual([
        { child: 'berlin', api: 'shop', limit: 'group-hour', units: 2 },
        { child: 'rome', api: 'shop', limit: 'group-hour', units: 3 },
      ]);
      expect(await readTenant(redis, 'rome')).toMatchObject({ parent: 'holding' });
    } finally {
      redis.disconnect();
    }
    const entry = await app.database.auditEntry.findFirstOrThrow({
      where: { action: 'tenant.floorsSet', tenantKey: 'rome' },
    });
    expect(JSON.stringify(entry.after)).toContain('group-hour');
  });

  it('can be reverted', async () => {
    const { changeId } = (await setFloors('rome', 1)).data.tenantFloorsSet;
    const revert = `mutation($input: ChangeRevertInput!) { changeRevert(input: $input) { userErrors { message } } }`;
    expect((await app.graphql(revert, { input: { changeId } })).data.changeRevert.userErrors).toEqual([]);
    expect(await shared('rome')).toMatchObject({ sharedLimits: [{ common: 0, floor: { units: 3 } }] });
  });

  it('cannot be set by members, and end with an archived child', async () => {
    const member = await signInMember(app, 'rome', 'OWNER');
    const { errors } = await setFloors('rome', 1, member);
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    const input = {
      tenantKey: 'rome',
      expectedVersion: await versionOf(app, 'tenant', 'rome'),
      reason: 'Test',
    };
    const archive = `mutation($input: TenantStatusInput!) { tenantArchive(input: $input) { userErrors { message } } }`;
    expect((await app.graphql(archive, { input })).data.tenantArchive.userErrors).toEqual([]);
    expect(await shared('holding')).toMatchObject({ sharedLimits: [{ common: 3 }] });
  });
});
