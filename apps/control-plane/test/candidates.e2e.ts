import { DecisionPlane } from '@tollgate/decision-plane';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Clock } from '../src/platform/clock.js';
import { JobsRunner } from '../src/platform/jobs/jobs-runner.js';
import { eventually } from './support/eventually.js';
import { createPolicy, LIMIT, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const CANDIDATE = { algorithm: 'FIXED_WINDOW', limit: 4, windowMs: 3_600_000 };
const LIVE = { ...LIMIT, limit: 8, windowMs: 3_600_000, candidate: CANDIDATE };
const REQUEST = { tenant: 'acme', api: 'shop', operation: 'buy', subject: {}, cost: 1 };

let app: TestApp;
let plane: DecisionPlane;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
});
afterAll(async () => {
  await plane?.close();
  await app?.stop();
});

async function publish(limits: readonly object[]): Promise<void> {
  const draft = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic'), limits };
  const saved = await app.graphql(SAVE_DRAFT, { input: draft });
  expect(saved.data.tierDraftSave.userErrors).toEqual([]);
  const PUBLISH = `mutation($input: TierPublishInput!) {
    tierPublish(input: $input) { changeId userErrors { message } }
  }`;
  const input = { tierKey: 'basic', expectedVersion: draft.expectedVersion + 1, carryOver: 'RESET' };
  const { data } = await app.graphql(PUBLISH, { input });
  expect(data.tierPublish.userErrors).toEqual([]);
}

const startNode = () =>
  DecisionPlane.start({
    countersUrl: app.redisUrl,
    configUrl: app.redisUrl,
    policyKeys: 'unsigned',
    nodeId: 'n1',
    version: 'test',
    deadlineMs: 5000,
  });

const limitNow = async () => (await plane.peek(REQUEST)).limit;

const comparisons = async () => {
  const COMPARISON = `{ candidateComparison(tierKey: "basic") {
    apiKey limitName tenants count liveDenied candidateDenied newlyDenied newlyAllowed
  } }`;
  return (await app.graphql(COMPARISON)).data.candidateComparison;
};

it('counts what a candidate would deny, and enforces it once it is promoted', async () => {
  expect(await comparisons()).toEqual([]);
  // Decisions count from the first whole minute of a version.
  const clock = app.app.get(Clock, { strict: false });
  const before = new Date(Date.now() - 600_000);
  vi.spyOn(clock, 'now').mockReturnValue(before);
  await publish([LIVE]);
  vi.restoreAllMocks();
  plane = await startNode();
  await eventually(async () => ((await limitNow()) === 8 ? true : undefined));
  for (let i = 0; i < 10; i++) await plane.limit(REQUEST);
  await plane.close();
  const counts = {
    tenants: 1,
    count: 10,
    liveDenied: 2,
    candidateDenied: 6,
    newlyDenied: 4,
    newlyAllowed: 0,
  };
  await eventually(async () => {
    await app.app.get(JobsRunner, { strict: false }).run('usage-ingest');
    return (await comparisons())[0]?.count > 0 ? true : undefined;
  });
  expect(await comparisons()).toEqual([{ apiKey: 'shop', limitName: 'per-minute', ...counts }]);
  const from = before.toISOString();
  const { data } = await app.graphql(
    `query($from: DateTime!) { usage(tenantKey: "acme", from: $from, interval: MINUTE) {
      total { count denied candidateCount candidateDenied candidateDeniedUnits }
    } }`,
    { from },
  );
  const tried = { candidateCount: 10, candidateDenied: 6, candidateDeniedUnits: 6 };
  expect(data.usage.total).toEqual({ count: 10, denied: 2, ...tried });

  await publish([{ ...LIMIT, ...CANDIDATE }]);
  plane = await startNode();
  await eventually(async () => ((await limitNow()) === 4 ? true : undefined));
  const answers = await Promise.all(Array.from({ length: 6 }, () => plane.limit(REQUEST)));
  expect(answers.filter(({ success }) => success)).toHaveLength(4);
  expect(await comparisons()).toEqual([]);
});
