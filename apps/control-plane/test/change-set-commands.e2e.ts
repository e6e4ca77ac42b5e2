import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, signInPerson } from './support/people.js';
import { createPolicy } from './support/policy-factory.js';
import { UPGRADE } from './support/shop.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let second: Person;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  second = await signInPerson(app, { role: 'OWNER' });
});
afterAll(() => app.stop());

const SET =
  'id version status needsApproval diff { impact { tenants increased } errors { code field message } entries { action entityId } }';
const TYPES: Record<string, string> = {
  Create: 'ChangeSetCreateInput',
  AddItem: 'ChangeSetAddItemInput',
  Approve: 'ChangeSetReviewInput',
};

async function step(name: string, input: object, headers?: Record<string, string>) {
  const fields = ['Create', 'Revert', 'Approve'].includes(name) ? 'id version status' : SET;
  const query = `mutation($input: ${TYPES[name] ?? 'ChangeSetInput'}!) { changeSet${name}(input: $input) {
    changeSet { ${fields} } userErrors { code field message } } }`;
  const { data, errors } = await app.graphql(query, { input }, headers);
  expect(errors).toEqual([]);
  return data[`changeSet${name}`];
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect any response.
const seen = ({ changeSet }: any) => ({ id: changeSet.id, expectedVersion: changeSet.version });

async function collect(...items: [command: string, input: object][]) {
  let set = await step('Create', { title: 'A change' });
  for (const [command, input] of items) {
    set = await step('AddItem', { ...seen(set), command, input });
    expect(set.userErrors, command).toEqual([]);
  }
  return set;
}

async function applied(...items: [command: string, input: object][]) {
  const set = await step('Submit', seen(await collect(...items)));
  expect([set.userErrors, set.changeSet?.diff.errors]).toEqual([[], []]);
  const done = await step('Apply', seen(set));
  expect(done).toMatchObject({ userErrors: [], changeSet: { status: 'APPLIED' } });
  return done;
}

async function takeBack(done: object) {
  const back = await step('Submit', seen(await step('Revert', seen(done))));
  expect([back.userErrors, back.changeSet?.diff.errors]).toEqual([[], []]);
  expect(await step('Apply', seen(back))).toMatchObject({ userErrors: [] });
}

const ask = async (query: string) => {
  const { data, errors } = await app.graphql(query);
  expect(errors).toEqual([]);
  return data;
};
const limitOfAcme = async () =>
  (await ask('{ tenant(key: "acme") { effectiveLimits { limit { limit } } } }')).tenant.effectiveLimits[0]
    .limit.limit;

const PER_MINUTE = { tenantKey: 'acme', apiKey: 'shop', limit: 'per-minute' };
const set = (limit: number) => ({ ...PER_MINUTE, effect: { kind: 'SET', limit }, reason: 'Agreed' });
const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe('a change set of overrides and entitlements', () => {
  it('sets, replaces and ends overrides, reports affected tenants, and reverts to the previous overrides', async () => {
    const tried = await collect(['overrideSet', { ...set(30), expiresAt: later(48) }]);
    expect(tried.changeSet.diff).toMatchObject({
      impact: { tenants: 1, increased: 1 },
      entries: [{ action: 'override.set', entityId: '' }],
    });
    expect(await limitOfAcme()).toBe(10);
    const first = await applied(['overrideSet', { ...set(30), expiresAt: later(48) }]);
    expect(first.changeSet.diff.entries[0].entityId).toMatch(/^ovr_/);
    expect(await limitOfAcme()).toBe(30);
    const next = await applied(['overrideSet', set(40)]);
    expect(await limitOfAcme()).toBe(40);
    await takeBack(next);
    expect(await limitOfAcme()).toBe(30);
  });

  it('ends overrides and restores them on revert', async () => {
    const live = async () =>
      (await ask('{ overrides(tenantKey: "acme", live: true) { nodes { id } } }')).overrides;
    const remove = async (): Promise<[string, object]> => [
      'overrideRemove',
      { overrideId: (await live()).nodes[0].id, reason: 'Over' },
    ];
    const ended = await applied(await remove());
    expect(await limitOfAcme()).toBe(10);
    await takeBack(ended);
    expect(await limitOfAcme()).toBe(30);
    await applied(await remove());
  });

  it('starts boosts and grants entitlements; a revert revokes grants but does not restore revoked ones', async () => {
    const grant = { tenantKey: 'acme', source: 'UPGRADE', label: 'A gift', endsAt: later(24) };
    const done = await applied(
      [
        'boostStart',
        { ...PER_MINUTE, effect: { kind: 'ADD', units: 5 }, endsAt: later(2), reason: 'A big day' },
      ],
      ['entitlementGrant', { ...grant, effects: [{ apiKey: 'shop', effect: { kind: 'ADD', units: 7 } }] }],
    );
    expect(await limitOfAcme()).toBe(22);
    await takeBack(done);
    expect(await limitOfAcme()).toBe(10);
    const { nodes } = (await ask('{ entitlements(tenantKey: "acme") { nodes { id } } }')).entitlements;
    const given = await applied([
      'entitlementGrant',
      { ...grant, effects: [{ apiKey: 'shop', effect: { kind: 'ADD', units: 7 } }] },
    ]);
    const [entry] = given.changeSet.diff.entries;
    expect(nodes.map(({ id }: { id: string }) => id)).not.toContain(entry.entityId);
    const revoked = await applied(['entitlementRevoke', { entitlementId: entry.entityId, reason: 'Over' }]);
    expect((await step('Revert', seen(revoked))).userErrors).toMatchObject([
      { code: 'INVALID', message: expect.stringContaining('Grant the entitlement again') },
    ]);
  });

  it('reports a missing reason before it is submitted', async () => {
    const tried = await collect(['overrideSet', { ...set(50), reason: undefined }]);
    expect(tried.changeSet.diff.errors).toMatchObject([{ code: 'INVALID', field: ['items', '0', 'reason'] }]);
  });
});

describe('a change set of rules for subjects', () => {
  const rulesOf = async (tenant = '') => {
    const query = `{ subjectRules(first: 9, live: true ${tenant}) { nodes { pattern reason endsAt effect { kind limit message } } } }`;
    return (await ask(query)).subjectRules.nodes;
  };
  const ofAcme = () => rulesOf('tenantKey: "acme"');
  const deny = (message: string) => ({ kind: 'DENY', message });
  const mallory = { tenantKey: 'acme', dimension: 'user', pattern: 'mallory', reason: 'Abuse' };
  const network = { dimension: 'ip', pattern: '203.0.113.0/24', effect: { kind: 'DENY' }, reason: 'Attack' };

  it('sets and replaces rules of a tenant and of all tenants; a revert restores the previous ones', async () => {
    const expiresAt = later(48);
    const tried = await collect(['subjectRuleSet', { ...mallory, effect: deny('First'), expiresAt }]);
    expect(tried.changeSet.diff.entries).toEqual([{ action: 'subjectRule.set', entityId: '' }]);
    expect(await ofAcme()).toEqual([]);
    await applied(
      ['subjectRuleSet', { ...mallory, effect: deny('First'), expiresAt }],
      ['subjectRuleSet', network],
    );
    const before = [await ofAcme(), await rulesOf()];
    expect(before).toMatchObject([[{ endsAt: expiresAt }], [{ pattern: '203.0.113.0/24' }]]);
    const next = await applied(
      ['subjectRuleSet', { ...mallory, effect: deny('Second'), reason: 'More abuse' }],
      ['subjectRuleSet', { ...network, effect: { kind: 'EXEMPT' } }],
    );
    expect(await ofAcme()).toMatchObject([{ reason: 'More abuse', endsAt: null }]);
    await takeBack(next);
    expect([await ofAcme(), await rulesOf()]).toEqual(before);
  });

  it('removes rules and restores them on revert', async () => {
    const before = [await ofAcme(), await rulesOf()];
    const { acme, all } = await ask(`{ acme: subjectRules(tenantKey: "acme", live: true) { nodes { id } }
      all: subjectRules(live: true) { nodes { id } } }`);
    const removed = await applied(
      ['subjectRuleRemove', { tenantKey: 'acme', id: acme.nodes[0].id, reason: 'Over' }],
      ['subjectRuleRemove', { id: all.nodes[0].id, reason: 'Over' }],
    );
    expect([await ofAcme(), await rulesOf()]).toEqual([[], []]);
    await takeBack(removed);
    expect([await ofAcme(), await rulesOf()]).toEqual(before);
  });

  it('reports a limit that does not count by the dimension before it is submitted', async () => {
    const target = { ...PER_MINUTE, dimension: 'user', pattern: 'vip', reason: 'Contract' };
    const tried = await collect(['subjectRuleSet', { ...target, effect: { kind: 'SET', limit: 5 } }]);
    expect(tried.changeSet.diff.errors).toMatchObject([{ field: ['items', '0', 'limit'] }]);
  });
});

describe('a change set of the catalogue', () => {
  it('activates, changes and archives offers', async () => {
    const priceOf = async () => (await ask('{ offer(key: "more") { priceMinor status } }')).offer;
    await applied(['offerCreate', UPGRADE], ['offerActivate', { offerKey: 'more' }]);
    const dearer = await applied(['offerUpdate', { offerKey: 'more', priceMinor: 9900, stock: 5 }]);
    expect(await priceOf()).toEqual({ priceMinor: 9900, status: 'ACTIVE' });
    await takeBack(dearer);
    expect(await priceOf()).toEqual({ priceMinor: UPGRADE.priceMinor, status: 'ACTIVE' });
    const gone = await applied(['offerArchive', { offerKey: 'more' }]);
    expect((await step('Revert', seen(gone))).userErrors).toMatchObject([
      { code: 'INVALID', message: expect.stringContaining('archived offer cannot be restored') },
    ]);
  });

  it('renames APIs, sets their default limits, and creates and deletes tiers', async () => {
    const read = () =>
      ask(`{ api(key: "shop") { name defaultLimits { name limit } }
        tier(key: "basic") { archivedAt published { limits { name origin } } } copy: tier(key: "copy") { key } }`);
    const before = await read();
    const second = { name: 'per-second', algorithm: 'FIXED_WINDOW', limit: 5, windowMs: 1000 };
    const done = await applied(
      ['apiUpdate', { apiKey: 'shop', name: 'The shop' }],
      ['apiDefaultLimitsSet', { apiKey: 'shop', limits: [second] }],
      ['tierDuplicate', { tierKey: 'basic', newKey: 'copy', name: 'Copy' }],
      ['tierArchive', { tierKey: 'basic' }],
    );
    const after = await read();
    expect(after).toMatchObject({
      api: { name: 'The shop', defaultLimits: [{ name: 'per-second', limit: 5 }] },
      copy: { key: 'copy' },
    });
    expect(after.tier.archivedAt).not.toBeNull();
    expect(after.tier.published.limits).toContainEqual({ name: 'per-second', origin: 'DEFAULT' });
    await takeBack(done);
    expect(await read()).toEqual(before);
    const made = await applied(['tierCreate', { key: 'new', name: 'New' }]);
    await takeBack(made);
    expect((await ask('{ tier(key: "new") { key } }')).tier).toBeNull();
  });
});

it('a change set that requires approval needs a second person even if the installation does not', async () => {
  let asked = await step('Create', { title: 'Look at this', needsApproval: true });
  asked = await step('AddItem', {
    ...seen(asked),
    command: 'tenantUpdate',
    input: { tenantKey: 'acme', name: 'A' },
  });
  asked = await step('Submit', seen(asked));
  expect(asked.changeSet).toMatchObject({ status: 'SUBMITTED', needsApproval: true });
  expect((await step('Apply', seen(asked))).userErrors).toMatchObject([{ code: 'INVALID' }]);
  const approved = await step('Approve', seen(asked), second.headers);
  expect((await step('Apply', seen(approved))).changeSet.status).toBe('APPLIED');
});
