import { DecisionPlane } from '@tollgate/decision-plane';
import { startDecisionApiProcess, WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { randomFrom } from '@tollgate/test-kit/random';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { adjustmentsOf, inMs, perMinute } from './support/adjustment-calls.js';
import { createPolicy, LIMIT, PUBLISH, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { startTestApp, type TestApp, testVariables } from './support/test-app.js';

const SEED = inject('testSeed');
const ROUNDS = 12;
const ask = { tenant: 'acme', api: 'shop', operation: 'buy' };

let app: TestApp;
let plane: DecisionPlane;
const { mutate, tenant, effective } = adjustmentsOf(() => app);

beforeAll(async () => {
  app = await startTestApp({ WORKER: 'inline' });
  await createPolicy(app);
  plane = await DecisionPlane.start({
    countersUrl: app.redisUrl,
    configUrl: app.redisUrl,
    nodeId: 'n1',
    version: 'test',
    policyKeys: 'unsigned',
    deadlineMs: 5000,
  });
});
afterAll(async () => {
  await plane?.close();
  await app?.stop();
});

/** Waits for a condition: changes reach nodes with a delay. */
const soon = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: WAIT_LIMIT_MS, interval: 20 });

const below = randomFrom(SEED).below;

function effectOf(kind: 'SET' | 'MULTIPLY' | 'ADD') {
  if (kind === 'SET') return { kind, limit: 1 + below(500) };
  return kind === 'ADD' ? { kind, units: 1 + below(50) } : { kind, percent: 101 + below(400) };
}

/** A change of the limits of `acme`. */
async function adjust(): Promise<void> {
  const raise = effectOf(below(2) === 0 ? 'ADD' : 'MULTIPLY');
  const target = { ...(await tenant()), ...perMinute };
  const endsAt = inMs(3_600_000);
  const calls = [
    () => mutate('overrideSet', { ...target, effect: effectOf('SET'), reason: 'Test' }),
    () => mutate('boostStart', { ...target, effect: raise, endsAt, reason: 'Test' }),
    async () => {
      const { tenantKey, expectedVersion, ...limits } = target;
      const effects = [{ ...limits, effect: raise }];
      const source = below(2) === 0 ? 'UPGRADE' : 'TOPUP';
      return mutate('entitlementGrant', { tenantKey, expectedVersion, source, label: 'Test', effects });
    },
    async () => {
      const limits = [{ ...LIMIT, limit: 1 + below(500) }];
      const version = await versionOf(app, 'tier', 'basic');
      return app.graphql(PUBLISH, { input: { tierKey: 'basic', expectedVersion: version, limits } });
    },
  ];
  await calls[below(calls.length)]?.();
}

interface TreatedLimit {
  source: string;
  limit: { name: string; limit: number };
  provenance: { source: string; label: string; from: number; to: number }[];
}

interface Step {
  adjustmentId: string;
  from: number;
  to: number;
}

const LADDER = `query($revision: Int!, $at: DateTime) {
  limitLadder(tenantKey: "acme", apiKey: "shop", limitName: "per-minute", revision: $revision, at: $at) {
    tierVersion limit { source limit { limit } provenance { adjustmentId from to } } sources { adjustmentId changeId }
    introduced { revision isScheduled changes { action changeId } }
  }
}`;

const ladderOf = async (revision: number, at = new Date()) =>
  (await app.graphql(LADDER, { revision, at: at.toISOString() })).data.limitLadder;

/** What the node enforced, by revision. */
const enforced: { revision: number; at: Date; limit: number; source: string; steps: unknown[] }[] = [];

describe('limits in GraphQL and on a node', () => {
  it('are equal under every combination of adjustments', async () => {
    await soon(() => plane.limit(ask));
    for (let round = 0; round < ROUNDS; round++) {
      await adjust();
      const said = await effective();
      await soon(async () => {
        const decision = await plane.peek(ask);
        const told = (await plane.limitsOf('acme', 'shop')).limits[0];
        const seen = { decision: decision.limit, told: told?.policy.limit, source: decision.source };
        const { limit, source } = said;
        expect(seen, `round ${round}`).toEqual({
          decision: limit.limit,
          told: limit.limit,
          source: source.toLowerCase(),
        });
        expect(told?.provenance.map(({ id, from, to }) => [id, from, to])).toEqual(
          said.provenance.map((step: { adjustmentId: string; from: number; to: number }) => [
            step.adjustmentId,
            step.from,
            step.to,
          ]),
        );
        enforced.push({
          revision: plane.revision,
          at: new Date(),
          limit: decision.limit ?? 0,
          source: decision.source ?? '',
          steps: said.provenance.map(({ adjustmentId, from, to }: Step) => ({ adjustmentId, from, to })),
        });
        const { live } = await effective();
        if (decision.used === 1) expect(live).toMatchObject({ used: 1, remaining: decision.remaining });
      });
    }
  });

  it('are the same in the ladder of each past revision, with the change that introduced them', async () => {
    expect(enforced.length).toBeGreaterThanOrEqual(ROUNDS);
    for (const { revision, at, limit, source, steps } of enforced) {
      const then = await ladderOf(revision, at);
      expect(then.limit, `revision ${revision}`).toMatchObject({
        limit: { limit },
        source: source.toUpperCase(),
        provenance: steps,
      });
      expect(then.sources).toHaveLength(steps.length);
      const { introduced } = then;
      expect(introduced.changes.length).toBeGreaterThan(0);
      expect((await ladderOf(introduced.revision)).limit.limit.limit).toBe(limit);
      expect((await ladderOf(introduced.revision - 1))?.limit.limit.limit).not.toBe(limit);
    }
  });

  it('apply a boost and end it on time', async () => {
    const { data } = await app.graphql('{ overrides(live: true, kind: BOOST) { nodes { id } } }');
    for (const { id } of data.overrides.nodes) await mutate('boostEnd', { boostId: id, reason: 'Test' });
    const { limit, source } = await effective();
    const boosted = { limit: limit.limit + 90, source: 'boost' };
    const boost = { ...perMinute, effect: { kind: 'ADD', units: 90 }, reason: 'Test' };
    let endsAt = 0;
    // On a busy machine the boost may end before it reaches the node; the next one lasts longer.
    for (let seconds = 3, seen = false; !seen; seconds *= 2) {
      expect(seconds).toBeLessThan(60);
      endsAt = Date.now() + seconds * 1000;
      await mutate('boostStart', { ...(await tenant()), ...boost, endsAt: new Date(endsAt).toISOString() });
      seen = await soon(async () => {
        const now = await plane.peek(ask);
        if (Date.now() >= endsAt) return false;
        expect(now).toMatchObject(boosted);
        return true;
      });
    }
    await soon(async () =>
      expect(await plane.peek(ask)).toMatchObject({ limit: limit.limit, source: source.toLowerCase() }),
    );
    expect(Date.now()).toBeGreaterThanOrEqual(endsAt);
  });
});

it('of a tier that blocks an operation deny it until an override lifts the block', async () => {
  const blocked = { ...LIMIT, name: 'no-sell', operations: ['sell'], limit: 0 };
  const call = async (query: string, input: object) => {
    const { data, errors } = await app.graphql(query, { input });
    const { userErrors } = data.result ?? data.tierPublish;
    expect([...errors, ...userErrors]).toEqual([]);
  };
  const create = (kind: string) =>
    `mutation($input: ${kind}CreateInput!) { result: ${kind.toLowerCase()}Create(input: $input) { userErrors { message } } }`;
  await call(create('Tier'), { key: 'reader', name: 'Reader' });
  await call(PUBLISH, { tierKey: 'reader', expectedVersion: 1, limits: [LIMIT, blocked] });
  await call(create('Tenant'), { key: 'initech', name: 'Initech', tierKey: 'reader' });
  const sell = { tenant: 'initech', api: 'shop', operation: 'sell' };
  await soon(async () =>
    expect(await plane.limit(sell)).toMatchObject({ success: false, reason: 'BLOCKED', policy: 'no-sell' }),
  );
  expect(await plane.limit({ ...sell, operation: 'buy' })).toMatchObject({ success: true });
  const target = { ...(await tenant('initech')), apiKey: 'shop', limit: 'no-sell' };
  const lifted = await mutate('overrideSet', {
    ...target,
    effect: { kind: 'SET', limit: 5 },
    reason: 'Trial',
  });
  expect(lifted.userErrors).toEqual([]);
  await soon(async () =>
    expect(await plane.peek(sell)).toMatchObject({ success: true, policy: 'no-sell', limit: 5 }),
  );
});

it('of a packed limit are counted exactly for each subject', async () => {
  const run = async (mutation: string) => {
    const { data, errors } = await app.graphql(`mutation { result: ${mutation} { userErrors { message } } }`);
    expect([...errors, ...(data?.result.userErrors ?? [])]).toEqual([]);
  };
  // A window of a year: the test never spans two.
  const packed = `storage: PACKED, expectedSubjects: 50, algorithm: FIXED_WINDOW, windowMs: ${366 * 86_400_000}`;
  const limit = `name: "per-user", apiKey: "shop", per: ["user"], limit: 3, ${packed}`;
  await run('tierCreate(input: { key: "packed", name: "Packed" })');
  await run(`tierPublish(input: { tierKey: "packed", expectedVersion: 1, limits: [{ ${limit} }] })`);
  await run('tenantCreate(input: { key: "globex", name: "Globex", tierKey: "packed" })');
  const { authorization = '' } = await app.bearer(['decide']);
  await using resources = new AsyncDisposableStack();
  const api = await startDecisionApiProcess({
    REDIS_COUNTERS_URL: app.redisUrl,
    REDIS_CONFIG_URL: app.redisUrl,
    TOKEN_PEPPER: testVariables({ databaseUrl: '', redisUrl: '' }).TOKEN_PEPPER ?? '',
  });
  resources.defer(() => api.stop());
  const post = async (path: string, user: string): Promise<{ success: boolean }> => {
    const response = await fetch(`${api.url}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ ...ask, tenant: 'globex', subject: { user } }),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { success: boolean };
  };
  await soon(() => post('/v1/peek', 'anyone'));
  await soon(() => plane.peek({ ...ask, tenant: 'globex' }));
  // An odd number: each user alternates between both nodes.
  const users = Array.from({ length: 41 }, (_, i) => `user-${i}-${'x'.repeat(i)}`);
  const requests = [1, 2, 3, 4, 5, 6].flatMap(() => users);
  // Half of the requests over HTTP, half on the node of this test.
  const decisions = await Promise.all(
    requests.map((user, i) =>
      i % 2 === 0 ? post('/v1/limit', user) : plane.limit({ ...ask, tenant: 'globex', subject: { user } }),
    ),
  );
  const allowed = requests.filter((_, i) => decisions[i]?.success);
  const counts = users.map((user) => allowed.filter((one) => one === user).length);
  expect(counts).toEqual(users.map(() => 3));
});

describe('rules for subjects', () => {
  const effective = 'effect { kind limit percent message }';
  const rule = `subjectRule { id dimension pattern limit status endsAt reason ${effective} tenant { key } }`;
  const change = async (mutation: 'Set' | 'Remove', input: object) => {
    const { data, errors } = await app.graphql(
      `mutation($input: SubjectRule${mutation}Input!) { result: subjectRule${mutation}(input: $input) {
        ${rule} changeId userErrors { code field message } } }`,
      { input: { reason: 'Test', ...input } },
    );
    expect(errors).toEqual([]);
    return data.result;
  };
  const set = (input: object) => change('Set', { tenantKey: 'acme', dimension: 'user', ...input });
  const by = (subject: Record<string, string>) => plane.peek({ ...ask, subject });
  const listed = async (args = '') => {
    const { data } = await app.graphql(
      `{ subjectRules(first: 10 ${args}) { totalCount nodes { pattern status reason tenant { key } } } }`,
    );
    return data.subjectRules;
  };

  const treatedOf = async (dimension: string, value: string) => {
    const { data, errors } = await app.graphql(
      `query($subject: [DecisionSubjectInput!]!) { subjectLimits(tenantKey: "acme", subject: $subject) {
        access rule { pattern } effective { source limit { name limit } provenance { source label from to } } } }`,
      { subject: [{ dimension, value }] },
    );
    expect(errors).toEqual([]);
    const rows: { access: string; rule: { pattern: string } | null; effective: TreatedLimit }[] =
      data.subjectLimits;
    return rows
      .map(({ access, rule, effective: { source, limit, provenance } }) => {
        if (source === 'SUBJECT_RULE')
          expect(provenance.at(-1)).toMatchObject({
            source,
            label: `${dimension} ${rule?.pattern}`,
            to: limit.limit,
          });
        return { ...limit, source, access, rule: rule?.pattern ?? null };
      })
      .toSorted((a, b) => a.name.localeCompare(b.name));
  };

  it('deny, exempt and change limits on nodes until they are removed, with an audit entry each', async () => {
    const byUser = { ...LIMIT, name: 'by-user', per: ['user'], limit: 5 };
    const expectedVersion = await versionOf(app, 'tier', 'basic');
    const draft = { tierKey: 'basic', expectedVersion, limits: [LIMIT, byUser] };
    await app.graphql(SAVE_DRAFT, { input: draft });
    await app.graphql(PUBLISH, { input: { tierKey: 'basic', expectedVersion: expectedVersion + 1 } });
    const denied = await set({ pattern: 'mallory', effect: { kind: 'DENY', message: 'Ask us.' } });
    expect(denied).toMatchObject({
      userErrors: [],
      subjectRule: { status: 'ACTIVE', tenant: { key: 'acme' } },
    });
    await set({ pattern: 'monitor-*', effect: { kind: 'EXEMPT' } });
    const target = { apiKey: 'shop', limit: 'by-user' };
    const raised = await set({ pattern: 'vip', ...target, effect: { kind: 'SET', limit: 70 } });
    expect(raised.userErrors).toEqual([]);
    await soon(async () => {
      expect(await by({ user: 'mallory' })).toMatchObject({ reason: 'BLOCKED', detail: 'Ask us.' });
      expect(await by({ user: 'monitor-1' })).toMatchObject({ reason: 'EXEMPT' });
      expect((await by({ user: 'vip' })).policies).toContainEqual(
        expect.objectContaining({ name: 'by-user', limit: 70 }),
      );
    });
    expect(await treatedOf('user', 'mallory')).toEqual([
      { name: 'by-user', limit: 5, source: 'TIER', access: 'DENIED', rule: 'mallory' },
      {
        name: 'per-minute',
        limit: expect.any(Number),
        source: expect.any(String),
        access: 'DENIED',
        rule: 'mallory',
      },
    ]);
    expect(await treatedOf('user', 'monitor-1')).toMatchObject([
      { access: 'EXEMPT', rule: 'monitor-*' },
      { access: 'EXEMPT', rule: 'monitor-*' },
    ]);
    const vip = await treatedOf('user', 'vip');
    expect(vip).toMatchObject([
      { name: 'by-user', limit: 70, source: 'SUBJECT_RULE', access: 'LIMITED', rule: 'vip' },
      { name: 'per-minute', access: 'LIMITED', rule: null },
    ]);
    expect(await treatedOf('user', 'other')).toMatchObject([
      { limit: 5, source: 'TIER', access: 'LIMITED', rule: null },
      vip[1],
    ]);
    expect(await treatedOf('key', 'vip')).toMatchObject([{ limit: 5, rule: null }, vip[1]]);
    const again = await set({ pattern: 'vip', ...target, effect: { kind: 'MULTIPLY', percent: 200 } });
    expect(again.subjectRule.effect).toMatchObject({ kind: 'MULTIPLY', percent: 200 });
    expect(await listed('tenantKey: "acme" live: true')).toMatchObject({ totalCount: 3 });
    expect(await listed('tenantKey: "acme" search: "MALL"')).toMatchObject({
      nodes: [{ pattern: 'mallory' }],
    });
    const { id } = denied.subjectRule;
    expect((await change('Remove', { tenantKey: 'acme', id })).subjectRule).toMatchObject({
      status: 'REMOVED',
    });
    expect(await change('Remove', { tenantKey: 'acme', id })).toMatchObject({
      userErrors: [{ code: 'INVALID', field: ['id'] }],
    });
    await soon(async () => expect(await by({ user: 'mallory' })).toMatchObject({ success: true }));
    const entries = await app.database.auditEntry.findMany({ where: { entity: 'SubjectRule' } });
    expect(entries.map(({ action, tenantKey }) => [action, tenantKey])).toEqual(
      ['set', 'set', 'set', 'set', 'remove'].map((name) => [`subjectRule.${name}`, 'acme']),
    );
  });

  it('apply to all tenants without a tenant', async () => {
    const input = { dimension: 'ip', pattern: '203.0.113.0/24', effect: { kind: 'DENY' } };
    const { subjectRule, userErrors } = await change('Set', input);
    expect(userErrors).toEqual([]);
    expect(subjectRule.tenant).toBeNull();
    expect(await treatedOf('ip', '203.0.113.9')).toMatchObject([
      { access: 'DENIED', rule: input.pattern },
      { access: 'DENIED', rule: input.pattern },
    ]);
    await soon(async () => expect(await by({ ip: '203.0.113.9' })).toMatchObject({ reason: 'BLOCKED' }));
    expect(await listed()).toMatchObject({ totalCount: 1, nodes: [{ tenant: null, reason: 'Test' }] });
    await change('Remove', { id: subjectRule.id });
    await soon(async () => expect(await by({ ip: '203.0.113.9' })).toMatchObject({ success: true }));
  });

  it.each([
    [{ dimension: 'ip', pattern: '10.0.0.1/8', effect: { kind: 'DENY' } }, ['pattern']],
    [{ pattern: 'a*b', effect: { kind: 'DENY' } }, ['pattern']],
    [{ pattern: 'a', effect: { kind: 'SET', limit: 5 } }, ['limit']],
    [{ pattern: 'a', effect: { kind: 'SET', percent: 5 }, ...perMinute }, ['effect', 'limit']],
    [{ pattern: 'a', effect: { kind: 'SET', limit: 5 }, ...perMinute }, ['limit']],
    [{ pattern: 'a', effect: { kind: 'EXEMPT' }, apiKey: 'shop', limit: 'none' }, ['limit']],
    [{ pattern: 'a', effect: { kind: 'DENY' }, ...perMinute }, ['limit']],
    [{ pattern: 'a', effect: { kind: 'DENY' }, apiKey: 'none' }, ['apiKey']],
    [{ pattern: 'a', effect: { kind: 'DENY' }, expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt']],
    [
      {
        pattern: 'a',
        effect: { kind: 'DENY' },
        startsAt: '2999-01-02T00:00:00Z',
        expiresAt: '2999-01-01T00:00:00Z',
      },
      ['expiresAt'],
    ],
    [
      { tenantKey: null, pattern: 'a', effect: { kind: 'SET', limit: 5 }, apiKey: 'shop', limit: 'by-user' },
      ['tenantKey'],
    ],
  ])('are rejected with the field that is wrong: %j', async (input, field) => {
    const { userErrors, subjectRule } = await set(input);
    expect([userErrors[0]?.field, subjectRule]).toEqual([field, null]);
  });
});
