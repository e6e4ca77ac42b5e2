import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInPerson } from './support/people.js';
import { createPolicy, LIMIT, PUBLISH, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const REVERT = `mutation($input: ChangeRevertInput!) { changeRevert(input: $input) {
  changeId impact { tenants increased decreased } userErrors { code field message } } }`;
const FIND = 'query($id: ID!) { changeReversal(changeId: $id) { actor actions revertible obstacle } }';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
});
afterAll(() => app.stop());

describe('reverting a change', () => {
  it('republishes the previous version of a publication, after a dry run', async () => {
    const changeId = await publish([{ ...LIMIT, limit: 5 }]);
    expect((await find(changeId)).data.changeReversal).toMatchObject({
      actions: ['tier.publish'],
      revertible: true,
      obstacle: null,
    });
    const tried = await revert({ changeId, dryRun: true });
    expect(tried).toMatchObject({ changeId: null, userErrors: [], impact: { tenants: 1, increased: 1 } });
    expect(await limitOfBasic()).toBe(5);
    expect(await revert({ changeId })).toMatchObject({
      changeId: expect.stringMatching(/^chg_/),
      userErrors: [],
    });
    expect(await limitOfBasic()).toBe(LIMIT.limit);
    const { data } = await app.graphql(
      '{ auditEntries(first: 1, action: "tier.publish") { nodes { entityName entityKey revertedName } } }',
    );
    expect(data.auditEntries.nodes).toEqual([
      { entityName: 'Basic v3', entityKey: 'basic', revertedName: 'Basic v2' },
    ]);
  });

  it('reverts a suspension, a rename, an operation, an API, an override and a boost', async () => {
    const tenant = async (mutation: string, more = '') =>
      run(mutation, `tenantKey: "acme", expectedVersion: ${await versionOf(app, 'tenant', 'acme')}, ${more}`);
    await takesBack(await tenant('tenantSuspend'), '{ tenant(key: "acme") { status } }');
    await takesBack(await tenant('tenantUpdate', 'name: "Other"'), '{ tenant(key: "acme") { name } }');
    const api = async (mutation: string, more: string) =>
      run(mutation, `apiKey: "shop", expectedVersion: ${await versionOf(app, 'api', 'shop')}, ${more}`);
    await takesBack(
      await api('operationUpdate', 'name: "sell", cost: 3'),
      '{ api(key: "shop") { operations { name cost } } }',
    );
    await takesBack(await api('apiUpdate', 'description: "x"'), '{ api(key: "shop") { description } }');
    const limits = '{ tenant(key: "acme") { effectiveLimits { limit { limit } source } } }';
    const effect = 'reason: "big day", effect: { kind: ADD, units: 7 }';
    await takesBack(await tenant('overrideSet', effect), limits);
    const endsAt = new Date(Date.now() + 3_600_000).toISOString();
    await takesBack(await tenant('boostStart', `${effect}, endsAt: "${endsAt}"`), limits);
  });

  it('restores an ended override with its end and reason', async () => {
    const expectedVersion = await versionOf(app, 'tenant', 'acme');
    const { data } =
      await app.graphql(`mutation { overrideSet(input: { tenantKey: "acme", expectedVersion: ${expectedVersion},
      reason: "big day", effect: { kind: ADD, units: 9 } }) { override { id } userErrors { message } } }`);
    const changeId = await run(
      'overrideRemove',
      `overrideId: "${data.overrideSet.override.id}", reason: "over"`,
    );
    expect((await revert({ changeId })).userErrors).toEqual([]);
    const live = await app.graphql(
      '{ overrides(tenantKey: "acme", live: true) { nodes { reason effect { units } } } }',
    );
    expect(live.data.overrides.nodes).toEqual([{ reason: 'big day', effect: { units: 9 } }]);
  });

  it('restores a scheduled override with its start, whether it was removed or replaced', async () => {
    const startsAt = new Date(Date.now() + 3_600_000).toISOString();
    const set = async (more: string) =>
      run(
        'overrideSet',
        `tenantKey: "acme", expectedVersion: ${await versionOf(app, 'tenant', 'acme')}, apiKey: "shop", reason: "sale", ${more}`,
      );
    const scheduled = async () => {
      const { data } = await app.graphql(
        '{ overrides(tenantKey: "acme", live: true) { nodes { id apiKey startsAt status effect { units } } } }',
      );
      return data.overrides.nodes.filter(({ apiKey }: { apiKey: string | null }) => apiKey === 'shop');
    };
    await set(`effect: { kind: ADD, units: 3 }, startsAt: "${startsAt}"`);
    const [{ id }] = await scheduled();
    const restored = [{ apiKey: 'shop', startsAt, status: 'SCHEDULED', effect: { units: 3 } }];
    for (const change of [
      () => run('overrideRemove', `overrideId: "${id}", reason: "over"`),
      () => set('effect: { kind: ADD, units: 4 }'),
    ]) {
      expect((await revert({ changeId: await change() })).userErrors).toEqual([]);
      expect(await scheduled()).toMatchObject(restored);
    }
  });

  it('reverts a rule for subjects of a tenant and of all tenants, set, replaced or removed', async () => {
    for (const [owner, filter] of [
      ['tenantKey: "acme", ', 'tenantKey: "acme", '],
      ['', ''],
    ]) {
      const set = (message: string) =>
        run(
          'subjectRuleSet',
          `${owner} dimension: "user", pattern: "mallory", effect: { kind: DENY, message: "${message}" }, reason: "big day"`,
        );
      const live = `{ subjectRules(${filter} live: true, first: 5) { nodes { reason effect { message } } } }`;
      const read = async () => (await app.graphql(live)).data.subjectRules.nodes;
      const rule = (message: string) => [{ reason: 'big day', effect: { message } }];
      const first = await set('First');
      const second = await set('Second');
      expect(await revert({ changeId: first })).toMatchObject({ userErrors: [{ code: 'INVALID' }] });
      expect(await read()).toEqual(rule('Second'));
      expect(await revert({ changeId: second })).toMatchObject({ userErrors: [] });
      expect(await read()).toEqual(rule('First'));
      const { data } = await app.graphql(`{ subjectRules(${filter} live: true) { nodes { id } } }`);
      const [{ id }] = data.subjectRules.nodes;
      const removed = await run('subjectRuleRemove', `${owner} id: "${id}", reason: "over"`);
      expect(await read()).toEqual([]);
      expect(await revert({ changeId: removed })).toMatchObject({ userErrors: [] });
      expect(await read()).toEqual(rule('First'));
    }
  });

  it('reverts an applied change set as one change', async () => {
    const before = await limitOfBasic();
    const { changeId } = await applySet(false);
    expect(await limitOfBasic()).toBe(33);
    expect((await find(changeId)).data.changeReversal).toMatchObject({ revertible: true });
    expect(await revert({ changeId })).toMatchObject({ userErrors: [] });
    expect(await limitOfBasic()).toBe(before);
    const { data } = await app.graphql('{ tenant(key: "acme") { name } }');
    expect(data.tenant.name).not.toBe('In a set');
  });

  async function takesBack(changeId: string, query: string): Promise<void> {
    const changed = (await app.graphql(query)).data;
    expect(await revert({ changeId }), query).toMatchObject({ userErrors: [] });
    expect((await app.graphql(query)).data, query).not.toEqual(changed);
    const entry = await app.database.auditEntry.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect(entry.reason, query).toMatch(/^(Reverts chg_|Reverted)/);
  }
});

describe('reverting is rejected', () => {
  it('for objects that have changed since', async () => {
    const changeId = await publish([{ ...LIMIT, limit: 6 }]);
    await publish([{ ...LIMIT, limit: 7 }]);
    const { userErrors } = await revert({ changeId });
    expect(userErrors).toMatchObject([
      { code: 'CONFLICT', message: expect.stringContaining('tier.publish') },
    ]);
    expect(await limitOfBasic()).toBe(7);
  });

  it('for a change set that required approval', async () => {
    const { changeId } = await applySet(true);
    expect(await revert({ changeId })).toMatchObject({ userErrors: [{ code: 'INVALID' }] });
    expect(await limitOfBasic()).toBe(33);
  });

  it('for irreversible changes, unknown changes and invalid ids', async () => {
    const created = await run('apiCreate', 'key: "late", name: "Late"', 'api { id }');
    expect(created).toBeUndefined();
    const { changeId } = await app.database.auditEntry.findFirstOrThrow({ where: { action: 'api.create' } });
    expect(await revert({ changeId })).toMatchObject({ userErrors: [{ code: 'INVALID' }] });
    const unknown = `chg_${'0'.repeat(32)}`;
    expect(await revert({ changeId: unknown })).toMatchObject({ userErrors: [{ code: 'NOT_FOUND' }] });
    expect(await revert({ changeId: 'x' })).toMatchObject({ userErrors: [{ code: 'INVALID' }] });
    expect((await find(unknown)).data.changeReversal).toBeNull();
  });

  it('without the permission of the change', async () => {
    const changeId = await publish([{ ...LIMIT, limit: 8 }]);
    const support = await app.signIn('SUPPORT');
    expect(await revert({ changeId }, support)).toMatchObject({
      userErrors: [{ code: 'INVALID', message: expect.stringContaining('tiers:write') }],
    });
    expect((await find(changeId, support)).data.changeReversal.revertible).toBe(false);
    const viewer = await app.graphql(REVERT, { input: { changeId } }, await app.signIn('VIEWER'));
    expect(viewer.errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect(await limitOfBasic()).toBe(8);
  });
});

async function revert(input: object, headers?: Record<string, string>) {
  return (await app.graphql(REVERT, { input }, headers)).data.changeRevert;
}

function find(id: string, headers?: Record<string, string>) {
  return app.graphql(FIND, { id }, headers);
}

/** Runs a mutation that must succeed; returns its change. */
async function run(mutation: string, input: string, fields = 'changeId') {
  const { data, errors } = await app.graphql(
    `mutation { result: ${mutation}(input: { ${input} }) { ${fields} userErrors { message } } }`,
  );
  expect([...errors, ...(data?.result.userErrors ?? [])], mutation).toEqual([]);
  return data.result.changeId;
}

async function publish(limits: object[]): Promise<string> {
  const expectedVersion = await versionOf(app, 'tier', 'basic');
  await app.graphql(SAVE_DRAFT, { input: { tierKey: 'basic', expectedVersion, limits } });
  const { data } = await app.graphql(PUBLISH, {
    input: { tierKey: 'basic', expectedVersion: expectedVersion + 1 },
  });
  expect(data.tierPublish.userErrors).toEqual([]);
  return data.tierPublish.changeId;
}

/** Applies a set of two changes. */
async function applySet(needsApproval: boolean): Promise<{ changeId: string }> {
  const [author, second] = [await app.signIn('OWNER'), (await signInPerson(app, { role: 'OWNER' })).headers];
  const step = async (name: string, type: string, input: object, headers = author) => {
    const query = `mutation($input: ${type}!) { result: changeSet${name}(input: $input) {
      changeSet { id version changeId } userErrors { message } } }`;
    const { data, errors } = await app.graphql(query, { input }, headers);
    expect([...errors, ...(data?.result.userErrors ?? [])], name).toEqual([]);
    return data.result.changeSet;
  };
  const seen = ({ id, version }: { id: string; version: number }) => ({ id, expectedVersion: version });
  let set = await step('Create', 'ChangeSetCreateInput', { title: 'Two at once', needsApproval });
  const items = {
    tierPublish: { tierKey: 'basic', limits: [{ ...LIMIT, limit: 33 }] },
    tenantUpdate: { tenantKey: 'acme', name: 'In a set' },
  };
  for (const [command, input] of Object.entries(items))
    set = await step('AddItem', 'ChangeSetAddItemInput', { ...seen(set), command, input });
  set = await step('Submit', 'ChangeSetInput', seen(set));
  if (needsApproval) set = await step('Approve', 'ChangeSetReviewInput', seen(set), second);
  return step('Apply', 'ChangeSetInput', seen(set));
}

async function limitOfBasic(): Promise<number> {
  const { data } = await app.graphql('{ tier(key: "basic") { published { limits { limit } } } }');
  return data.tier.published.limits[0].limit;
}
