import { DecisionPlane } from '@tollgate/decision-plane';
import { eventually } from '@tollgate/test-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Clock } from '../src/platform/clock.js';
import {
  createPolicy,
  LIMIT as PER_MINUTE,
  PUBLISH,
  SAVE_DRAFT,
  versionOf,
} from './support/policy-factory.js';
import { policyPublished, readPolicy } from './support/published-policy.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const HOUR_MS = 3_600_000;
/** Long windows, so that usage does not expire on a slow machine. */
const LIMIT = { ...PER_MINUTE, algorithm: 'SLIDING_WINDOW_LOG', windowMs: HOUR_MS };

const REQUEST = { tenant: 'acme', api: 'shop', operation: 'buy' };
const ROLLBACK = `mutation($input: PolicyRollbackInput!) { policyRollback(input: $input) {
  changeId rollback { toRevision tiers apis subjectRules kept } impact { tenants increased decreased } userErrors { code field message } } }`;

let app: TestApp;
let redis: Redis;
let plane: DecisionPlane;
/** The revision to go back to. */
let then: number;

beforeAll(async () => {
  app = await startTestApp();
  redis = new Redis(app.redisUrl);
  await createPolicy(app);
  plane = await DecisionPlane.start({
    countersUrl: app.redisUrl,
    configUrl: app.redisUrl,
    policyKeys: 'unsigned',
    nodeId: 'node-1',
    version: 'test',
    deadlineMs: 5000,
  });
  const ramp = { apiKey: 'shop', name: 'ramp', operations: ['sell'] };
  const warmUp = { ms: 600_000, startPercent: 20 };
  await change('poolCreate', { ...ramp, capacity: 50, warmUp }, 'shop');
  await publish([LIMIT]);
  then = (await readPolicy(redis)).head.revision;
  for (let i = 0; i < 3; i++) await plane.limit(REQUEST);
  // Changes to roll back: a limit, an operation's cost, a pool, an API.
  await publish([
    { ...LIMIT, limit: 5 },
    { ...LIMIT, name: 'per-user', per: ['user'], limit: 3 },
  ]);
  await change('operationUpdate', { apiKey: 'shop', name: 'sell', cost: 2 }, 'shop');
  await change('poolUpdate', { ...ramp, warmUp: null }, 'shop');
  await change('poolCreate', { apiKey: 'shop', name: 'all', operations: [], capacity: 100 }, 'shop');
  await app.graphql('mutation { apiCreate(input: { key: "late", name: "Late" }) { userErrors { code } } }');
  await settled();
});
afterAll(async () => {
  await plane.close();
  redis.disconnect();
  await app.stop();
});

describe('the history of revisions', () => {
  it('lists cause, author and catalogue size of each revision', async () => {
    const { data, errors } =
      await app.graphql(`{ revisions(first: 3, catalogueOnly: true) { totalCount nodes {
      number cause publishedAt catalogueRevision hash size tenantCount changeCount changes { actor action entity reason } } } }`);
    expect(errors).toEqual([]);
    const [newest, pool] = data.revisions.nodes;
    expect(newest).toMatchObject({
      cause: 'change',
      changeCount: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(newest.catalogueRevision).toBe(newest.number);
    expect(newest.size).toBeGreaterThan(100);
    expect(newest.changes).toMatchObject([
      { actor: expect.stringContaining('test'), action: 'api.create', entity: 'Api' },
    ]);
    expect(pool.changes).toMatchObject([{ action: 'pool.create' }]);
    expect(data.revisions.totalCount).toBeGreaterThanOrEqual(5);
  });

  it('continues after the last entry of a page', async () => {
    const page = '{ revisions(first: 1%) { nodes { number } pageInfo { endCursor hasNextPage } } }';
    const first = (await app.graphql(page.replace('%', ''))).data.revisions;
    const more = await app.graphql(page.replace('%', `, after: "${first.pageInfo.endCursor}"`));
    expect(more.data.revisions.nodes[0].number).toBeLessThan(first.nodes[0].number);
    expect((await app.graphql(page.replace('%', ', after: "x"'))).errors[0]?.extensions.code).toBe(
      'BAD_USER_INPUT',
    );
  });

  it('returns the differences of two revisions', async () => {
    const { data } = await diff(then, await newest());
    expect(data.revisionDiff).toEqual({
      tiers: [
        {
          key: 'basic',
          kind: 'CHANGED',
          fromVersion: 2,
          toVersion: 3,
          limits: [
            {
              name: 'shop/per-minute',
              kind: 'CHANGED',
              from: expect.stringContaining('10'),
              to: expect.stringContaining('5'),
            },
            { name: 'shop/per-user', kind: 'ADDED', from: null, to: expect.any(String) },
          ],
        },
      ],
      apis: [
        { key: 'late', kind: 'ADDED', operations: [], pools: [] },
        {
          key: 'shop',
          kind: 'CHANGED',
          operations: [{ name: 'sell', from: 'cost 1, normal', to: 'cost 2, normal' }],
          pools: [
            { name: 'all', from: null, to: '100 a second, up to 80 % lent, every operation' },
            {
              name: 'ramp',
              from: '50 a second, up to 80 % lent, sell, warm-up from 20 % in 600 s',
              to: '50 a second, up to 80 % lent, sell',
            },
          ],
        },
      ],
      subjectRules: [],
    });
  });

  it('rejects an unknown revision', async () => {
    expect((await diff(then, 99_999)).errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  });
});

describe('a rollback', () => {
  it.each([
    ['a revision that there is not', { toRevision: 99_999 }, 'NOT_FOUND', 'toRevision'],
    ['revision 0', { toRevision: 0 }, 'INVALID', 'toRevision'],
    ['a policy that has changed since', { expectedRevision: 1 }, 'CONFLICT', 'expectedRevision'],
    ['nothing: it is what nodes run', { toRevision: 'newest' }, 'NOTHING_TO_PUBLISH', 'toRevision'],
    ['a revision without saying why', { reason: null }, 'INVALID', 'reason'],
  ])('to %s is rejected', async (_name, over, code, field) => {
    const expectedRevision = await newest();
    const input = { toRevision: then, expectedRevision, reason: 'too tight', ...over };
    const toRevision = input.toRevision === 'newest' ? expectedRevision : input.toRevision;
    const { data } = await app.graphql(ROLLBACK, { input: { ...input, toRevision } });
    expect(data.policyRollback).toMatchObject({
      rollback: null,
      changeId: null,
      userErrors: [{ code, field: [field] }],
    });
  });

  it('requires permission', async () => {
    const input = { toRevision: then, expectedRevision: await newest(), reason: 'x' };
    const refused = await app.graphql(ROLLBACK, { input }, await app.signIn('SUPPORT'));
    expect(refused.errors[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('reports its impact in a dry run and changes nothing', async () => {
    const before = await readPolicy(redis);
    const input = { toRevision: then, expectedRevision: await newest(), reason: 'too tight', dryRun: true };
    const { data } = await app.graphql(ROLLBACK, { input });
    expect(data.policyRollback).toMatchObject({
      changeId: null,
      rollback: { tiers: ['basic'], apis: ['late', 'shop'], kept: [] },
      impact: { tenants: 1, increased: 1 },
      userErrors: [],
    });
    await settled();
    expect(await readPolicy(redis)).toEqual(before);
  });

  it('restores the earlier policy as a new revision; usage and drafts are kept', async () => {
    const draft = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') };
    await app.graphql(SAVE_DRAFT, { input: { ...draft, limits: [{ ...LIMIT, limit: 77 }] } });
    const before = await newest();
    const input = { toRevision: then, expectedRevision: before, reason: 'too tight', carryOver: 'KEEP' };
    const { data } = await app.graphql(ROLLBACK, { input });
    expect(data.policyRollback).toMatchObject({ rollback: { toRevision: then, kept: [] }, userErrors: [] });
    await settled();
    expect(await newest()).toBeGreaterThan(before);
    expect((await diff(then, await newest())).data.revisionDiff).toEqual({
      tiers: [],
      apis: [],
      subjectRules: [],
    });
    await eventually(async () => (await plane.peek(REQUEST)).limit === 10);
    expect(await plane.limit(REQUEST)).toMatchObject({ success: true, limit: 10, remaining: 6 });
    const { data: tier } = await app.graphql(
      '{ tier(key: "basic") { published { number note } draft { number limits { limit } } } }',
    );
    expect(tier.tier).toEqual({
      published: { number: 4, note: `As in revision ${then}` },
      draft: { number: 5, limits: [{ limit: 77 }] },
    });
    const audit = await app.database.auditEntry.findFirstOrThrow({ where: { action: 'policy.rollback' } });
    expect(audit).toMatchObject({ reason: 'too tight', after: { tiers: ['basic'], toRevision: then } });
  });

  it('can itself be rolled back', async () => {
    const expectedRevision = await newest();
    const input = { toRevision: expectedRevision - 1, expectedRevision, reason: 'it was right' };
    const { data } = await app.graphql(ROLLBACK, { input });
    expect(data.policyRollback.userErrors).toEqual([]);
    await settled();
    await eventually(async () => (await plane.peek({ ...REQUEST, subject: { user: 'u' } })).limit === 5);
    expect((await diff(expectedRevision - 1, await newest())).data.revisionDiff).toEqual({
      tiers: [],
      apis: [],
      subjectRules: [],
    });
  });
});

describe('rules for subjects of all tenants', () => {
  const rule = async (mutation: 'Set' | 'Remove', input: object) => {
    const { data, errors } = await app.graphql(
      `mutation($input: SubjectRule${mutation}Input!) { result: subjectRule${mutation}(input: $input) {
        subjectRule { id } userErrors { message } } }`,
      { input: { reason: 'Attack', ...input } },
    );
    expect([...errors, ...data.result.userErrors]).toEqual([]);
    return data.result.subjectRule.id;
  };
  const deny = (pattern: string, more: object = {}) =>
    rule('Set', { dimension: 'ip', pattern, effect: { kind: 'DENY' }, ...more });
  const live = async () => {
    const { data } = await app.graphql(
      '{ subjectRules(live: true, first: 9) { nodes { pattern reason endsAt effect { kind message } } } }',
    );
    return data.subjectRules.nodes.toSorted((a: { pattern: string }, b: { pattern: string }) =>
      a.pattern.localeCompare(b.pattern),
    );
  };
  const rollback = async (input: object) => {
    const { data } = await app.graphql(ROLLBACK, {
      input: { expectedRevision: await newest(), reason: 'Wrong rules', ...input },
    });
    await settled();
    return data.policyRollback;
  };

  it('appear in differences; a rollback restores, replaces and removes them, once', async () => {
    await deny('10.0.0.0/8', { expiresAt: '2999-01-01T00:00:00Z' });
    const removed = await deny('192.0.2.7', { effect: { kind: 'DENY', message: 'Ask us.' } });
    const ends = new Date(Date.now() + HOUR_MS).toISOString();
    await deny('198.51.100.1', { expiresAt: ends });
    await settled();
    const toRevision = await newest();
    const before = (await live()).filter(({ endsAt }: { endsAt: string | null }) => endsAt !== ends);
    await deny('10.0.0.0/8', { effect: { kind: 'EXEMPT' } });
    await rule('Remove', { id: removed });
    await deny('0.0.0.0/0');
    await settled();
    const clock = app.app.get(Clock, { strict: false });
    vi.spyOn(clock, 'now').mockImplementation(() => new Date(Date.now() + 2 * HOUR_MS));
    expect(await live()).toHaveLength(2);
    const { subjectRules } = (await diff(toRevision, await newest())).data.revisionDiff;
    expect(subjectRules).toContainEqual({ name: 'ip 0.0.0.0/0', kind: 'ADDED', from: null, to: 'deny' });
    expect(subjectRules).toContainEqual({
      ...{ name: 'ip 10.0.0.0/8', kind: 'CHANGED' },
      from: 'deny, until 2999-01-01T00:00:00.000Z',
      to: 'exempt',
    });
    expect(subjectRules).toContainEqual({
      ...{ name: 'ip 192.0.2.7', kind: 'REMOVED', from: 'deny “Ask us.”', to: null },
    });
    expect(await rollback({ toRevision, subjectRules: false })).toMatchObject({
      userErrors: [{ code: 'NOTHING_TO_PUBLISH' }],
    });
    const names = ['ip 0.0.0.0/0', 'ip 10.0.0.0/8', 'ip 192.0.2.7'];
    expect(await rollback({ toRevision, dryRun: true })).toMatchObject({
      rollback: { subjectRules: names },
    });
    const blocked = { ...REQUEST, subject: { ip: '203.0.113.9' } };
    await eventually(async () => (await plane.peek(blocked)).reason === 'BLOCKED');
    expect(await rollback({ toRevision })).toMatchObject({
      userErrors: [],
      rollback: { tiers: [], apis: [], subjectRules: names },
    });
    await eventually(async () => (await plane.peek(blocked)).success);
    expect(await live()).toEqual(before);
    expect(await rollback({ toRevision })).toMatchObject({ userErrors: [{ code: 'NOTHING_TO_PUBLISH' }] });
  });
});

describe('a rollback to a revision with a deleted API', () => {
  const LIMITS = { name: 'each-minute', limit: 5, algorithm: 'FIXED_WINDOW', windowMs: 60_000 };
  const defaultsOf = async (key: string) =>
    (await app.graphql(`{ api(key: "${key}") { defaultLimits { name limit } } }`)).data.api?.defaultLimits;

  it('restores its default limits, removes later ones, and is kept by the next publication', async () => {
    await app.graphql('mutation { apiCreate(input: { key: "mail", name: "M" }) { userErrors { code } } }');
    await change('operationCreate', { apiKey: 'mail', name: 'send' }, 'mail');
    await change('apiDefaultLimitsSet', { apiKey: 'mail', limits: [LIMITS] }, 'mail');
    const toRevision = await newest();
    await change('apiDefaultLimitsSet', { apiKey: 'mail', limits: [] }, 'mail');
    await change('apiDelete', { apiKey: 'mail' }, 'mail');
    await change('apiDefaultLimitsSet', { apiKey: 'shop', limits: [{ ...LIMITS, name: 'later' }] }, 'shop');
    expect(await defaultsOf('mail')).toBeUndefined();

    const input = { toRevision, expectedRevision: await newest(), reason: 'mail is needed' };
    const { data } = await app.graphql(ROLLBACK, { input });
    expect(data.policyRollback).toMatchObject({ rollback: { apis: ['mail', 'shop'] }, userErrors: [] });
    await settled();
    expect(await defaultsOf('mail')).toEqual([{ name: 'each-minute', limit: 5 }]);
    expect(await defaultsOf('shop')).toEqual([]);
    expect((await diff(toRevision, await newest())).data.revisionDiff).toEqual({
      tiers: [],
      apis: [],
      subjectRules: [],
    });

    await publish([{ ...LIMIT, limit: 9 }]);
    const { data: tier } = await app.graphql(
      '{ tier(key: "basic") { published { limits { name origin } } } }',
    );
    expect(tier.tier.published.limits).toEqual([
      { name: 'per-minute', origin: 'TIER' },
      { name: 'each-minute', origin: 'DEFAULT' },
    ]);
  });
});

function diff(from: number, to: number) {
  const query = `query($from: Int!, $to: Int!) { revisionDiff(from: $from, to: $to) {
    tiers { key kind fromVersion toVersion limits { name kind from to } }
    apis { key kind operations { name from to } pools { name from to } }
    subjectRules { name kind from to } } }`;
  return app.graphql(query, { from, to });
}

async function newest(): Promise<number> {
  return (await app.graphql('{ currentRevision { number } }')).data.currentRevision.number;
}

const settled = () => policyPublished(app.database);

async function publish(limits: object[]): Promise<void> {
  const expectedVersion = await versionOf(app, 'tier', 'basic');
  await app.graphql(SAVE_DRAFT, { input: { tierKey: 'basic', expectedVersion, limits } });
  const { data } = await app.graphql(PUBLISH, {
    input: { tierKey: 'basic', expectedVersion: expectedVersion + 1 },
  });
  expect(data.tierPublish.userErrors).toEqual([]);
  await settled();
}

async function change(mutation: string, input: object, apiKey: string): Promise<void> {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const query = `mutation($input: ${type}!) { result: ${mutation}(input: $input) { userErrors { message } } }`;
  const expectedVersion = await versionOf(app, 'api', apiKey);
  const { data, errors } = await app.graphql(query, { input: { ...input, expectedVersion } });
  expect([...errors, ...(data?.result.userErrors ?? [])]).toEqual([]);
  await settled();
}
