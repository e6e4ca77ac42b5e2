import { DecisionPlane } from '@tollgate/decision-plane';
import { newSigningKey, publicKeyOf } from '@tollgate/policy';
import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PropagationFeed } from '../src/features/distribution/index.js';
import { createPolicy, LIMIT, PUBLISH, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const SIGNING_KEY = newSigningKey();
const REQUEST = { tenant: 'acme', api: 'shop', operation: 'buy' };

let app: TestApp;
let planes: DecisionPlane[];

beforeAll(async () => {
  app = await startTestApp({ POLICY_SIGNING_KEY: SIGNING_KEY });
  await createPolicy(app);
  planes = await Promise.all(['node-1', 'node-2'].map(startNode));
});
afterAll(async () => {
  await Promise.all(planes.map((plane) => plane.close()));
  await app.stop();
});

describe('a sealed change', () => {
  it('is followed to every node that trusts the key, until it is live', async () => {
    const input = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') };
    await app.graphql(SAVE_DRAFT, { input: { ...input, limits: [{ ...LIMIT, limit: 123 }] } });
    const { data } = await app.graphql(PUBLISH, {
      input: { ...input, expectedVersion: input.expectedVersion + 1 },
    });
    const feed = app.app.get(PropagationFeed, { strict: false });
    const told = await allOf(feed.follow(data.tierPublish.changeId));
    expect(told.at(-1)).toMatchObject({ state: 'LIVE', liveNodes: 2, totalNodes: 2 });
    expect(told.at(-1)?.slowestMs).toBeGreaterThanOrEqual(0);
    for (const plane of planes) expect(await plane.peek(REQUEST)).toMatchObject({ limit: 123 });
  });

  it('with an unknown id cannot be followed', async () => {
    const feed = app.app.get(PropagationFeed, { strict: false });
    expect(await allOf(feed.follow('chg_00000000000000000000000000000000'))).toEqual([]);
  });

  it('is no longer followed when its client disconnects', async () => {
    const feed = app.app.get(PropagationFeed, { strict: false });
    // Never published to any node.
    const changeId = 'chg_00000000000000000000000000000001';
    const event = { changeId, kind: 'CATALOGUE' as const, entityKey: 'api:shop' };
    await app.database.outboxEvent.create({
      data: { ...event, revision: 2_000_000, publishedAt: new Date() },
    });
    const stop = new AbortController();
    const following = allOf(feed.follow(changeId, stop.signal));
    stop.abort();
    expect((await following).length).toBeLessThanOrEqual(1);
  });
});

describe('nodes', () => {
  const QUERY = `query($all: Boolean) { decisionNodes(includeRetired: $all) {
    nodeId version revision stale firstSeenAt policyAgeMs policyStale retiredAt nack { reason } } }`;
  const list = async (all = false) => (await app.graphql(QUERY, { all })).data.decisionNodes;

  it('report the age of their policy', async () => {
    const nodes = await eventually(async () => {
      const found = await list();
      return found.every(({ policyAgeMs }: { policyAgeMs: number | null }) => policyAgeMs !== null) && found;
    });
    expect(nodes).toMatchObject([
      { nodeId: 'node-1', stale: false, policyStale: false, retiredAt: null, nack: null },
      { nodeId: 'node-2', stale: false, policyStale: false, retiredAt: null, nack: null },
    ]);
  });

  it('that stop cleanly leave the list and are kept as retired', async () => {
    await eventually(async () => (await app.database.decisionNode.count()) === 2);
    await planes.pop()?.close();
    const nodes = await eventually(async () => {
      const found = await list(true);
      return found[1]?.retiredAt !== null && found;
    });
    expect(nodes).toMatchObject([{ retiredAt: null }, { nodeId: 'node-2', stale: false }]);
    expect(await list()).toHaveLength(1);
  });

  it('are retired by permitted operators, with a reason in the audit log', async () => {
    const RETIRE = `mutation($input: NodeRetireInput!) { nodeRetire(input: $input) {
      node { nodeId retiredAt } userErrors { code field } impact { tenants } } }`;
    const viewer = await app.signIn('VIEWER');
    expect(
      (await app.graphql(RETIRE, { input: { nodeId: 'gone' } }, viewer)).errors[0]?.extensions.code,
    ).toBe('FORBIDDEN');
    const { data } = await app.graphql(RETIRE, { input: { nodeId: 'gone' } });
    expect(data.nodeRetire).toMatchObject({
      node: null,
      userErrors: [{ code: 'NOT_FOUND', field: ['nodeId'] }],
    });
    const at = new Date(Date.now() - 3_600_000);
    const seen = { epoch: 'e', version: '1', revision: 1, startedAt: at, firstSeenAt: at, lastSeenAt: at };
    await app.database.decisionNode.create({ data: { nodeId: 'lost', ...seen } });
    expect(
      (await list()).map(({ nodeId, stale }: { nodeId: string; stale: boolean }) => [nodeId, stale]),
    ).toEqual([
      ['lost', true],
      ['node-1', false],
    ]);
    const tried = await app.graphql(RETIRE, { input: { nodeId: 'lost', reason: 'gone', dryRun: true } });
    expect(tried.data.nodeRetire).toMatchObject({ node: { retiredAt: null }, userErrors: [] });
    const retired = await app.graphql(RETIRE, { input: { nodeId: 'lost', reason: 'its rack is gone' } });
    expect(retired.data.nodeRetire).toMatchObject({
      node: { nodeId: 'lost', retiredAt: expect.any(String) },
    });
    expect(await app.database.auditEntry.findFirst({ where: { action: 'node.retire' } })).toMatchObject({
      entityId: 'lost',
      reason: 'its rack is gone',
    });
  });
});

function startNode(nodeId: string): Promise<DecisionPlane> {
  return DecisionPlane.start({
    countersUrl: app.redisUrl,
    configUrl: app.redisUrl,
    policyKeys: [publicKeyOf(SIGNING_KEY)],
    nodeId,
    version: 'test',
    deadlineMs: 5000,
  });
}

async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
