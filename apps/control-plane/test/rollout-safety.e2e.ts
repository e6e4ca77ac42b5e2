import { DecisionPlane } from '@tollgate/decision-plane';
import { eventually } from '@tollgate/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { GuardsService } from '../src/features/governance/guards/guards.service.js';
import { Clock } from '../src/platform/clock.js';
import { JobsRunner } from '../src/platform/jobs/jobs-runner.js';
import { createPolicy, LIMIT, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { policyPublished } from './support/published-policy.js';
import { startTestApp, type TestApp } from './support/test-app.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The window of a log moves with the requests: no hour can end between them. */
const HOURLY = { algorithm: 'SLIDING_WINDOW_LOG', windowMs: HOUR_MS };
const hourly = (limit: number, more: object = {}) => ({ ...LIMIT, ...HOURLY, limit, ...more });

let app: TestApp;
let plane: DecisionPlane;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  const create =
    'mutation { tenantCreate(input: { key: "held", name: "Held", tierKey: "basic" }) { changeId } }';
  await app.graphql(create);
  await app.database.subscription.updateMany({ data: { since: new Date(Date.now() - 24 * HOUR_MS) } });
  plane = await DecisionPlane.start({
    countersUrl: app.redisUrl,
    configUrl: app.redisUrl,
    policyKeys: 'unsigned',
    nodeId: 'n1',
    version: 'test',
    deadlineMs: 5000,
  });
});
afterAll(async () => {
  await plane?.close();
  await app?.stop();
});

async function saveDraft(limits: readonly object[]): Promise<number> {
  const expectedVersion = await versionOf(app, 'tier', 'basic');
  const saved = await app.graphql(SAVE_DRAFT, { input: { tierKey: 'basic', expectedVersion, limits } });
  expect(saved.data.tierDraftSave.userErrors).toEqual([]);
  return expectedVersion + 1;
}

async function tryPublish(limits: readonly object[], terms: object = {}) {
  const PUBLISH = `mutation($input: TierPublishInput!) {
    tierPublish(input: $input) { changeId userErrors { code field message } }
  }`;
  const expectedVersion = await versionOf(app, 'tier', 'basic');
  const input = { tierKey: 'basic', expectedVersion, limits, carryOver: 'RESET', ...terms };
  const { data, errors } = await app.graphql(PUBLISH, { input });
  expect(errors).toEqual([]);
  return data.tierPublish;
}

async function publish(limits: readonly object[], terms: object = {}): Promise<void> {
  expect((await tryPublish(limits, terms)).userErrors).toEqual([]);
}

const requestOf = (tenant: string) => ({ tenant, api: 'shop', operation: 'buy', subject: {}, cost: 1 });

const usesLimit = (limit: number, tenant = 'acme') =>
  eventually(async () => (await plane.peek(requestOf(tenant))).limit === limit);

/** Sends requests and counts them. @returns the number of allowed ones */
async function send(count: number, tenants: readonly string[] = ['acme']): Promise<number[]> {
  const before = await countedDecisions();
  const allowed: number[] = [];
  for (const tenant of tenants) {
    const answers = await Promise.all(Array.from({ length: count }, () => plane.limit(requestOf(tenant))));
    allowed.push(answers.filter(({ success }) => success).length);
  }
  await eventually(async () => {
    await app.app.get(JobsRunner, { strict: false }).run('usage-ingest');
    return (await countedDecisions()) === before + count * tenants.length;
  });
  return allowed;
}

async function countedDecisions(): Promise<number> {
  const { _sum } = await app.database.usageHour.aggregate({ _sum: { count: true } });
  return Number(_sum.count ?? 0n);
}

/** Moves the decisions of the last minutes by `minutes`. */
async function moveUsage(minutes: number): Promise<void> {
  await app.database.$executeRaw`
    UPDATE "usage_minute" SET "at" = "at" + ${`${minutes} minutes`}::interval
    WHERE "at" BETWEEN now() - interval '3 minutes' AND now()`;
}

describe('a candidate', () => {
  const CANDIDATE = { ...HOURLY, limit: 4 };
  const comparisons = async () => {
    const COMPARISON = `{ candidateComparison(tierKey: "basic") {
      apiKey limitName tenants count liveDenied candidateDenied newlyDenied newlyAllowed
    } }`;
    return (await app.graphql(COMPARISON)).data.candidateComparison;
  };

  it('is counted beside its limit, and enforced once it is promoted', async () => {
    expect(await comparisons()).toEqual([]);
    // Decisions count from the first whole minute of a version.
    const from = new Date(Date.now() - 10 * MINUTE_MS);
    vi.spyOn(app.app.get(Clock, { strict: false }), 'now').mockReturnValue(from);
    await publish([hourly(8, { candidate: CANDIDATE })]);
    vi.restoreAllMocks();
    await usesLimit(8);
    expect(await send(10)).toEqual([8]);
    const counts = {
      tenants: 1,
      count: 10,
      liveDenied: 2,
      candidateDenied: 6,
      newlyDenied: 4,
      newlyAllowed: 0,
    };
    expect(await comparisons()).toEqual([{ apiKey: 'shop', limitName: 'per-minute', ...counts }]);
    const { data } = await app.graphql(
      `query($from: DateTime!) { usage(tenantKey: "acme", from: $from, interval: MINUTE) {
        total { count denied candidateCount candidateDenied candidateDeniedUnits }
      } }`,
      { from },
    );
    const tried = { candidateCount: 10, candidateDenied: 6, candidateDeniedUnits: 6 };
    expect(data.usage.total).toEqual({ count: 10, denied: 2, ...tried });

    await publish([{ ...LIMIT, ...CANDIDATE }]);
    await usesLimit(4);
    expect(await send(6)).toEqual([4]);
    expect(await comparisons()).toEqual([]);
  });
});

describe('a guard', () => {
  beforeEach(async () => {
    await app.database.usageMinute.deleteMany();
  });

  const GUARD = { maxDenialRise: 2, minDecisions: 20, withinMinutes: 30 };
  const GUARD_QUERY = `{ publicationGuard(tierKey: "basic") {
    id versionNumber state obstacle message endedBy revertedBy activeFrom
    figures { excess affected { tenants decisions before after rise } pinned { tenants rise } worst { tenantKey } }
  } }`;
  const guardNow = async () => (await app.graphql(GUARD_QUERY)).data.publicationGuard;
  const check = async (minutes: number) => {
    const { id } = await guardNow();
    const service = app.app.get(GuardsService, { strict: false });
    await service.check(id, new Date(Date.now() + minutes * MINUTE_MS));
    return guardNow();
  };
  const tierNow = async () =>
    (
      await app.graphql(
        '{ tier(key: "basic") { published { number limits { limit } } draft { limits { limit } } } }',
      )
    ).data.tier;

  it('reverts a version that denies too much, once, and keeps the draft', async () => {
    await publish([hourly(100)]);
    await usesLimit(100);
    expect(await send(20, ['acme', 'held'])).toEqual([20, 20]);
    await moveUsage(-8);
    await publish([hourly(5)], { audience: 'COHORT', cohort: { tenantKeys: ['acme'] }, guard: GUARD });
    await usesLimit(5);
    expect(await send(20, ['acme', 'held'])).toEqual([5, 20]);
    await eventually(async () => (await check(0)).activeFrom !== null);
    expect(await guardNow()).toMatchObject({ state: 'WATCHING', obstacle: 'TOO_FEW_DECISIONS' });
    await moveUsage(4);
    await saveDraft([hourly(77)]);
    const { published: guarded } = await tierNow();

    await Promise.all([check(12), check(12)]);
    const reverted = await guardNow();
    expect(reverted).toMatchObject({
      ...{ versionNumber: guarded.number, state: 'REVERTED', obstacle: null, message: null },
      figures: {
        excess: 75,
        affected: { tenants: 1, decisions: 20, before: 0, after: 75, rise: 75 },
        pinned: { tenants: 1, rise: 0 },
        worst: [{ tenantKey: 'acme' }],
      },
    });
    const { published, draft } = await tierNow();
    expect(published).toMatchObject({ number: guarded.number + 1, limits: [{ limit: 100 }] });
    expect(draft.limits).toEqual([{ limit: 77 }]);
    await usesLimit(100);
    const { data } = await app.graphql(
      `{ notices(first: 20) { nodes { kind title data } }
        auditEntries(first: 20) { nodes { action actor changeId reason after } } }`,
    );
    const title = `Guard reverted basic version ${guarded.number}: denials rose by 75 percentage points`;
    const notice = data.notices.nodes.filter(({ kind }: { kind: string }) => kind === 'guard.reverted');
    expect(notice).toMatchObject([
      { title, data: { deniedAfter: '75 %', decisions: 20, mostAffected: 'acme' } },
    ]);
    const ofRevert = data.auditEntries.nodes.filter(
      ({ changeId }: { changeId: string }) => changeId === reverted.revertedBy,
    );
    expect(ofRevert.map(({ action }: { action: string }) => action)).toContain('tier.publish');
    expect(ofRevert[0]).toMatchObject({
      actor: 'job publication-guards',
      reason: expect.stringContaining('from 0 % to 75 % of 20 decisions'),
    });
  });

  it('passes a version that denies no more', async () => {
    await publish([hourly(150)]);
    await usesLimit(150);
    await send(30);
    await moveUsage(-8);
    await publish([hourly(200)], { guard: GUARD });
    await usesLimit(200);
    await send(30);
    await eventually(async () => (await check(0)).activeFrom !== null);
    await moveUsage(4);
    expect(await check(12)).toMatchObject({ state: 'WATCHING', obstacle: null });
    const passed = await check(32);
    expect(passed, passed.message).toMatchObject({ state: 'PASSED', obstacle: null });
    expect((await tierNow()).published.limits).toEqual([{ limit: 200 }]);
  });

  it('ends without a decision if data is missing, with a notice', async () => {
    await publish([hourly(1)], { guard: GUARD });
    await app.database.usageSource.updateMany({ data: { missed: { increment: 1 } } });
    await usesLimit(1);
    await eventually(async () => (await check(0)).obstacle === 'USAGE_MISSING');
    expect(await check(40)).toMatchObject({
      ...{ state: 'UNDECIDED', obstacle: 'USAGE_MISSING' },
      message: 'Usage frames missing since the publication: 1.',
    });
    expect((await tierNow()).published.limits).toEqual([{ limit: 1 }]);
    const { data } = await app.graphql('{ notices(first: 5) { nodes { kind } } }');
    expect(data.notices.nodes).toContainEqual({ kind: 'guard.undecided' });
  });

  it('ends when the policy is rolled back, and reverts nothing', async () => {
    const revision = async () => {
      await policyPublished(app.database);
      return (await app.graphql('{ currentRevision { number } }')).data.currentRevision.number;
    };
    const toRevision = await revision();
    await publish([hourly(9)], { guard: GUARD });
    const ROLLBACK = `mutation($input: PolicyRollbackInput!) {
      policyRollback(input: $input) { userErrors { message } }
    }`;
    const input = { toRevision, expectedRevision: await revision(), reason: 'test' };
    expect((await app.graphql(ROLLBACK, { input })).data.policyRollback.userErrors).toEqual([]);
    expect(await check(12)).toMatchObject({ state: 'SUPERSEDED' });
    expect((await tierNow()).published.limits).toEqual([{ limit: 1 }]);
  });

  it('ends when a newer version is published or an operator cancels it', async () => {
    await publish([hourly(10)], { guard: GUARD });
    const { id: first } = await guardNow();
    await publish([hourly(11)], { guard: GUARD });
    expect(await app.database.publicationGuard.findUnique({ where: { id: first } })).toMatchObject({
      state: 'SUPERSEDED',
    });
    const CANCEL = `mutation($input: PublicationGuardCancelInput!) {
      publicationGuardCancel(input: $input) { guard { state endedBy } userErrors { code field message } }
    }`;
    const input = { id: (await guardNow()).id };
    const canceled = (await app.graphql(CANCEL, { input })).data.publicationGuardCancel;
    expect(canceled).toMatchObject({ guard: { state: 'CANCELED' }, userErrors: [] });
    const again = (await app.graphql(CANCEL, { input })).data.publicationGuardCancel;
    expect(again.userErrors).toMatchObject([{ code: 'INVALID', field: ['id'] }]);
  });

  it.each([
    ['a rise out of range', { guard: { ...GUARD, maxDenialRise: 0 } }, ['guard', 'maxDenialRise']],
    ['too few decisions', { guard: { ...GUARD, minDecisions: 9 } }, ['guard', 'minDecisions']],
    ['too long a time', { guard: { ...GUARD, withinMinutes: 721 } }, ['guard', 'withinMinutes']],
    ['an audience without a past', { guard: GUARD, audience: 'NEW_TENANTS_ONLY' }, ['guard']],
  ])('is rejected with %s', async (_, terms, field) => {
    expect((await tryPublish([hourly(12)], terms)).userErrors).toMatchObject([{ code: 'INVALID', field }]);
  });
});
