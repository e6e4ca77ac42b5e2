import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplyChangeSetsJob } from '../src/features/governance/index.js';
import { type Person, signInPerson } from './support/people.js';
import { createPolicy, LIMIT } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const SET = `id version status changeId revertsId items { id command input }
  diff { stale impact { tenants increased decreased } errors { code field } entries { item action tenantKey fields { path before after } } }`;
const INPUTS: Record<string, string> = {
  Create: 'ChangeSetCreateInput',
  AddItem: 'ChangeSetAddItemInput',
  RemoveItem: 'ChangeSetRemoveItemInput',
  Approve: 'ChangeSetReviewInput',
  Reject: 'ChangeSetReviewInput',
  Schedule: 'ChangeSetScheduleInput',
};

let app: TestApp;
let admin: Person;
let second: Person;

beforeAll(async () => {
  app = await startTestApp({ CHANGE_SET_APPROVAL: 'required' });
  await createPolicy(app);
  admin = await signInPerson(app, { role: 'OWNER' });
  second = await signInPerson(app, { role: 'OWNER' });
});

afterAll(() => app.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests inspect any response.
type Payload = { changeSet: any; userErrors: { code: string; field: string[]; message: string }[] };

async function step(name: string, input: object, who = admin): Promise<Payload> {
  const type = INPUTS[name] ?? 'ChangeSetInput';
  const query = `mutation($input: ${type}!) { changeSet${name}(input: $input) {
    changeSet { ${SET} } userErrors { code field message } } }`;
  const { data, errors } = await app.graphql(query, { input }, who.headers);
  if (errors.length > 0) throw new Error(`${errors[0]?.extensions.code}: ${errors[0]?.message}`);
  return data[`changeSet${name}`];
}

const seen = ({ changeSet }: Payload) => ({ id: changeSet.id, expectedVersion: changeSet.version });

async function collect(...items: [command: string, input: object][]): Promise<Payload> {
  let set = await step('Create', { title: 'Raise the limit' });
  for (const [command, input] of items) set = await step('AddItem', { ...seen(set), command, input });
  return set;
}

const publishLimit = (limit: number): [string, object][] => [
  ['tierDraftSave', { tierKey: 'basic', limits: [{ ...LIMIT, limit }] }],
  ['tierPublish', { tierKey: 'basic' }],
];

const limitInForce = async () => {
  const { data } = await app.graphql('{ tier(key: "basic") { published { limits { limit } } } }');
  return data.tier.published.limits[0].limit;
};

describe('a change set', () => {
  it('shows its diff, is approved by a second person, applied as one change, and reverted', async () => {
    let set = await collect(...publishLimit(25), ['tenantUpdate', { tenantKey: 'acme', name: 'Acme Ltd' }]);
    const { diff } = set.changeSet;
    expect(diff.errors).toEqual([]);
    expect(diff.impact).toEqual({ tenants: 1, increased: 1, decreased: 0 });
    expect(diff.entries.at(-1)).toMatchObject({
      item: 2,
      action: 'tenant.update',
      tenantKey: 'acme',
      fields: [{ path: 'name', before: 'Acme', after: 'Acme Ltd' }],
    });
    expect(await limitInForce()).toBe(10);

    set = await step('Submit', seen(set));
    expect(set.changeSet.status).toBe('SUBMITTED');
    expect((await step('Apply', seen(set))).userErrors).toMatchObject([{ code: 'INVALID' }]);
    expect((await step('Approve', seen(set))).userErrors[0]?.message).toMatch(/second person/);
    set = await step('Approve', { ...seen(set), note: 'fine' }, second);
    const applied = await step('Apply', seen(set), second);
    expect(applied.userErrors).toEqual([]);
    expect(applied.changeSet.status).toBe('APPLIED');
    expect(await limitInForce()).toBe(25);
    const entries = await app.database.auditEntry.findMany({
      where: { changeId: applied.changeSet.changeId },
    });
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'changeSet.apply',
      'tenant.update',
      'tier.draftSave',
      'tier.publish',
    ]);

    let back = await step('Revert', seen(applied));
    expect(back.changeSet).toMatchObject({ status: 'DRAFT', revertsId: applied.changeSet.id });
    back = await step('Submit', seen(back));
    back = await step('Approve', seen(back), second);
    back = await step('Apply', seen(back));
    expect(back).toMatchObject({ userErrors: [], changeSet: { status: 'APPLIED' } });
    expect(await limitInForce()).toBe(10);
    const { data } = await app.graphql('{ tenant(key: "acme") { name } }');
    expect(data.tenant.name).toBe('Acme');
  });

  it('is rejected when its effect has changed, then refreshed and approved again', async () => {
    let set = await collect(['tenantUpdate', { tenantKey: 'acme', name: 'New name' }]);
    set = await step('Submit', seen(set));
    set = await step('Approve', seen(set), second);
    const { data } = await app.graphql('{ tenant(key: "acme") { version } }');
    const other = { tenantKey: 'acme', name: 'Other name', expectedVersion: data.tenant.version };
    await app.graphql('mutation($input: TenantUpdateInput!) { tenantUpdate(input: $input) { changeId } }', {
      input: other,
    });
    const refused = await step('Apply', seen(set));
    expect(refused.userErrors).toMatchObject([{ code: 'CONFLICT', field: ['items'] }]);
    expect(refused.changeSet).toMatchObject({ status: 'SUBMITTED', diff: { stale: false } });
    expect(refused.changeSet.diff.entries[0].fields[0]).toMatchObject({ before: 'Other name' });
    set = await step('Approve', seen(refused), second);
    expect((await step('Apply', seen(set))).changeSet.status).toBe('APPLIED');
  });

  it('applies all items or none', async () => {
    const set = await collect(
      ['tenantUpdate', { tenantKey: 'acme', name: 'Half done' }],
      ['tierPublish', { tierKey: 'basic' }],
    );
    expect(set.changeSet.diff.errors).toEqual([
      { code: 'NOTHING_TO_PUBLISH', field: ['items', '1', 'tierKey'] },
    ]);
    expect((await step('Submit', seen(set))).userErrors).toMatchObject([
      { field: ['items', '1', 'tierKey'] },
    ]);
    const removed = await step('RemoveItem', { ...seen(set), itemId: set.changeSet.items[1].id });
    expect(removed.changeSet.items).toHaveLength(1);
    expect((await step('Cancel', seen(removed))).changeSet.status).toBe('CANCELED');
  });

  it('is applied automatically when due; a rejected item leaves it FAILED and changes nothing', async () => {
    const job = app.app.get(ApplyChangeSetsJob, { strict: false });
    const due = async (tenantKey: string, name: string) => {
      let set = await collect(['tenantUpdate', { tenantKey, name }]);
      set = await step('Submit', seen(set));
      set = await step('Approve', seen(set), second);
      set = await step('Schedule', { ...seen(set), at: new Date(Date.now() + 3_600_000).toISOString() });
      expect(set.changeSet.status).toBe('SCHEDULED');
      return set;
    };
    const good = await due('acme', 'On time');
    await app.database.changeSet.updateMany({
      where: { status: 'SCHEDULED' },
      data: { scheduledAt: new Date() },
    });
    await job.run();
    const statusOf = async ({ changeSet: { id } }: Payload) =>
      (await app.graphql(`query($id: ID!) { changeSet(id: $id) { ${SET} } }`, { id })).data.changeSet.status;
    expect(await statusOf(good)).toBe('APPLIED');
    const late = await due('acme', 'Too late');
    await app.database.tenant.update({ where: { key: 'acme' }, data: { name: 'Somebody else' } });
    await app.database.changeSet.updateMany({
      where: { status: 'SCHEDULED' },
      data: { scheduledAt: new Date() },
    });
    await job.run();
    expect(await statusOf(late)).toBe('FAILED');
    expect((await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } })).name).toBe(
      'Somebody else',
    );
  });

  it('accepts only items that its author is permitted to run, in the input format of the mutation', async () => {
    const limits = await signInPerson(app, { role: 'LIMITS_ADMIN' });
    const set = await step('Create', { title: 'Checks' }, limits);
    const problem = async (command: string, input: object) =>
      (await step('AddItem', { ...seen(set), command, input }, limits)).userErrors[0];
    expect(await problem('serviceTokenCreate', {})).toMatchObject({ code: 'NOT_FOUND', field: ['command'] });
    expect(await problem('tenantTierChange', { tenantKey: 'acme', tierKey: 'basic' })).toMatchObject({
      field: ['command'],
    });
    expect(await problem('tierUpdate', { tierKey: 'basic', rnak: 1 })).toMatchObject({ field: ['input'] });
    expect(await problem('tierUpdate', { tierKey: 'basic', rank: 'high' })).toMatchObject({
      field: ['input', 'rank'],
    });
    expect((await step('Submit', seen(set))).userErrors[0]?.message).toMatch(/empty/);
    const token = { ...admin, headers: await app.bearer(['change-sets:write', 'change-sets:approve']) };
    await expect(step('Create', { title: 'x' }, token)).resolves.toMatchObject({ userErrors: [] });
  });

  it('is listed, as are the supported commands', async () => {
    const { data } = await app.graphql(
      '{ changeSets(first: 2) { totalCount nodes { title } } changeSetCommands { name permission } }',
    );
    expect(data.changeSets.nodes).toHaveLength(2);
    expect(data.changeSetCommands).toContainEqual({ name: 'tierPublish', permission: 'tiers:write' });
  });
});
