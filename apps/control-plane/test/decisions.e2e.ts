import type { NodeJournalEntry } from '@tollgate/contracts';
import { EXPLAIN_LINK_MS, ExplainLinkMinter } from '@tollgate/contracts/explain-link';
import { JOURNAL_STREAM, TRAFFIC_STREAM } from '@tollgate/decision-plane/operate';
import { BlockBuilder, encodeBlock } from '@tollgate/replay';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppConfig } from '../src/config/app-config.js';
import { JobsRunner } from '../src/platform/jobs/jobs-runner.js';
import { createPolicy, LIMIT, PUBLISH, SAVE_DRAFT, versionOf } from './support/policy-factory.js';
import { policyPublished } from './support/published-policy.js';
import { signInMember } from './support/sign-in-member.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;
let redis: Redis;

beforeAll(async () => {
  app = await startTestApp();
  redis = new Redis(app.redisUrl);
  await createPolicy(app);
  await app.graphql(
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }',
  );
});
afterAll(async () => {
  redis?.disconnect();
  await app?.stop();
});

async function note(samples: NodeJournalEntry['samples']): Promise<void> {
  await JOURNAL_STREAM.write(redis, { nodeId: 'n1', atMs: Date.now(), samples, checkpoints: [] });
  await app.app.get(JobsRunner, { strict: false }).run('journal-ingest');
}

const sample = (requestId: string, more: Partial<NodeJournalEntry['samples'][number]> = {}) => ({
  requestId,
  atMs: Date.now(),
  tenant: 'acme',
  api: 'shop',
  operation: 'buy',
  subject: { user: '=customer-one', ip: '~192.0.2.1' },
  cost: 1,
  outcome: 'allowed' as const,
  reason: 'WITHIN_LIMIT' as const,
  limit: 'per-minute',
  policies: [
    {
      name: 'per-minute',
      limit: 10,
      remaining: 9,
      reset: Date.now(),
      mode: 'enforce' as const,
      success: true,
    },
  ],
  retryAfter: 0,
  delayMs: 0,
  revision: 3,
  ...more,
});

describe('decisions', () => {
  const LIST = `query($tenantKey: String!, $outcome: UsageOutcome, $subject: DecisionSubjectInput, $first: Int, $after: String) {
    decisions(tenantKey: $tenantKey, outcome: $outcome, subject: $subject, first: $first, after: $after) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes { id requestId apiKey operation outcome reason limitName cost revision subject { dimension pseudonym }
        policies { limitName limit remaining mode success } }
    }
  }`;

  beforeAll(async () => {
    const denied = { outcome: 'denied' as const, reason: 'RATE_EXCEEDED' as const, retryAfter: 7 };
    const first = sample('req_1');
    await note([first, sample('req_2', { subject: { user: '=customer-two' } }), sample('req_3', denied)]);
    // Sent again by a node without an acknowledgement, and with the same ids by another tenant.
    await note([first, sample('req_1', { tenant: 'other' }), sample('req_4', { tenant: 'nobody' })]);
  });

  it('are listed newest first, by page and filter', async () => {
    const { data } = await app.graphql(LIST, { tenantKey: 'acme', first: 2 });
    expect(data.decisions).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const { after, ids } = { after: data.decisions.pageInfo.endCursor, ids: requestsOf(data) };
    expect([...ids, ...requestsOf((await app.graphql(LIST, { tenantKey: 'acme', after })).data)]).toEqual([
      'req_3',
      'req_2',
      'req_1',
    ]);
    const denied = await app.graphql(LIST, { tenantKey: 'acme', outcome: 'DENIED' });
    expect(denied.data.decisions.nodes).toMatchObject([
      {
        requestId: 'req_3',
        reason: 'RATE_EXCEEDED',
        policies: [{ limitName: 'per-minute', limit: 10, mode: 'ENFORCE', success: true }],
      },
    ]);
  });

  it('contain no identifier, but are found by it', async () => {
    const { data } = await app.graphql(LIST, {
      tenantKey: 'acme',
      subject: { dimension: 'user', value: 'customer-one' },
    });
    expect(requestsOf(data)).toEqual(['req_3', 'req_1']);
    const mapped = await app.graphql(LIST, {
      tenantKey: 'acme',
      subject: { dimension: 'ip', value: '::ffff:192.0.2.1' },
    });
    expect(requestsOf(mapped.data)).toEqual(['req_3', 'req_1']);
    const kept = JSON.stringify(await app.database.$queryRaw`SELECT * FROM decision_sample`, (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    expect(kept).not.toMatch(/customer-one|192\.0\.2/);
    const wrong = await app.graphql(LIST, { tenantKey: 'acme', subject: { dimension: 'ip', value: 'x' } });
    expect(wrong.errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  it('are found by their request id within their tenant', async () => {
    const query =
      'query($id: String!, $key: String) { decision(requestId: $id, tenantKey: $key) { tenantKey requestId } }';
    const find = async (id: string, key?: string, headers?: Record<string, string>) =>
      app.graphql(query, { id, key }, headers);
    expect((await find('req_1', 'acme')).data.decision).toEqual({ tenantKey: 'acme', requestId: 'req_1' });
    expect((await find('req_1')).data.decision.tenantKey).toBe('other');
    expect((await find('req_9')).data).toEqual({ decision: null });
    const member = await signInMember(app, 'acme', 'VIEWER');
    expect((await find('req_1', 'acme', member)).data.decision.tenantKey).toBe('acme');
    expect((await find('req_1', 'other', member)).errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await find('req_1', undefined, member)).errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await app.graphql(LIST, { tenantKey: 'other' }, member)).errors[0]?.extensions.code).toBe(
      'NOT_FOUND',
    );
  });

  it('are explained by the limits of their revision, for members without the authors of changes', async () => {
    await policyPublished(app.database);
    const { number: revision } = await app.database.policyRevision.findFirstOrThrow({
      orderBy: { number: 'desc' },
    });
    // Long after the samples of the other tests.
    const atMs = Date.now() + 600_000;
    const denied = (requestId: string, more: Partial<NodeJournalEntry['samples'][number]>) =>
      sample(requestId, { revision, subject: {}, limit: 'per-minute', ...more });
    const policy = { name: 'per-minute', limit: 10, reset: atMs, mode: 'enforce' as const };
    await note([
      denied('before', { atMs: atMs - 30_000, policies: [{ ...policy, remaining: 2, success: true }] }),
      denied('sold', { atMs: atMs - 1, operation: 'sell', api: 'other', policies: [] }),
      denied('why', {
        ...{ atMs, cost: 3, outcome: 'denied', reason: 'RATE_EXCEEDED', retryAfter: 20 },
        policies: [{ ...policy, remaining: 2, success: false }],
      }),
    ]);
    const expectedVersion = await versionOf(app, 'tier', 'basic');
    const limits = [{ ...LIMIT, limit: 25 }];
    await app.graphql(PUBLISH, { input: { tierKey: 'basic', expectedVersion, limits } });
    await policyPublished(app.database);
    const query = `query($key: String!, $id: String!) { decisionExplanation(tenantKey: $key, requestId: $id) {
      decision { requestId } limits { limitName before after sufficient { field value } } passing { at cost }
      past { tierVersion since limit { limit { limit } } } today { limit { limit } }
      minute { counted points { requestId remaining success } } } }`;
    const member = await signInMember(app, 'acme', 'VIEWER');
    const { data, errors } = await app.graphql(query, { key: 'acme', id: 'why' }, member);
    expect(errors).toEqual([]);
    expect(data.decisionExplanation).toEqual({
      decision: { requestId: 'why' },
      limits: [{ limitName: 'per-minute', before: 2, after: 2, sufficient: { field: 'LIMIT', value: 11 } }],
      passing: { at: new Date(Math.ceil(atMs / 1000) * 1000 + 20_000).toISOString(), cost: 2 },
      past: { tierVersion: 1, since: expect.any(String), limit: { limit: { limit: 10 } } },
      today: { limit: { limit: 25 } },
      minute: {
        counted: 0,
        points: [
          { requestId: 'before', remaining: 2, success: true },
          { requestId: 'why', remaining: 2, success: false },
        ],
      },
    });
    const others = await app.graphql(query, { key: 'other', id: 'req_1' }, member);
    expect(others.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await app.graphql(query, { key: 'acme', id: 'req_9' })).data.decisionExplanation).toBeNull();
  });

  it('name the subject rule that denied the caller, also after its removal', async () => {
    const set = `mutation($input: SubjectRuleSetInput!) {
      subjectRuleSet(input: $input) { subjectRule { id } userErrors { message } } }`;
    const target = { tenantKey: 'acme', dimension: 'user', pattern: 'customer-*', reason: 'abuse' };
    const { subjectRuleSet } = (await app.graphql(set, { input: { ...target, effect: { kind: 'DENY' } } }))
      .data;
    const { id } = subjectRuleSet.subjectRule;
    const blocked = { outcome: 'denied', reason: 'BLOCKED', limit: null, retryAfter: null } as const;
    await note([sample('blocked', { ...blocked, policies: [], rule: id })]);
    const query = `query { decisionExplanation(tenantKey: "acme", requestId: "blocked") {
      decision { ruleId } rule { id pattern kind forAllTenants live } } }`;
    const rule = { id, pattern: 'customer-*', kind: 'DENY', forAllTenants: false, live: true };
    for (const headers of [undefined, await signInMember(app, 'acme', 'VIEWER')]) {
      const { data } = await app.graphql(query, {}, headers);
      expect(data.decisionExplanation).toEqual({ decision: { ruleId: id }, rule });
    }
    const remove = `mutation($input: SubjectRuleRemoveInput!) {
      subjectRuleRemove(input: $input) { userErrors { message } } }`;
    await app.graphql(remove, { input: { tenantKey: 'acme', id, reason: 'over' } });
    const { data } = await app.graphql(query);
    expect(data.decisionExplanation.rule).toEqual({ ...rule, live: false });
  });

  it('are shown by the link of a denied request: to strangers what its response contained', async () => {
    const [[version, pepper] = [0, '']] = app.app.get(AppConfig, { strict: false }).peppers;
    const { number: revision } = await app.database.policyRevision.findFirstOrThrow({
      orderBy: { number: 'desc' },
    });
    const minter = new ExplainLinkMinter('https://tollgate.example', version, pepper);
    const linkAt = (at: number) => {
      const facts = { requestId: 'why?', at, reason: 'RATE_EXCEEDED', limit: null, retryAfter: 20 } as const;
      const origin = {
        tenant: 'acme',
        api: 'shop',
        operation: 'buy',
        limit: 'per-minute',
        revision,
        rule: null,
      };
      return decodeURIComponent(new URL(minter.mint(facts, origin)).hash.slice(1));
    };
    const query = `query($link: String!) { deniedRequest(link: $link) { requestId reason limitName retryAfter
      origin { tenantKey operation limitName past { limit { limit { limit } } } } } }`;
    const find = async (link: string, headers?: Record<string, string>) =>
      (await app.graphql(query, { link }, headers)).data.deniedRequest;
    const link = linkAt(Date.now());
    const shown = { requestId: 'why?', reason: 'RATE_EXCEEDED', limitName: null, retryAfter: 20 };
    const strangers = [{ authorization: '' }, await signInMember(app, 'other', 'OWNER')];
    for (const headers of strangers) expect(await find(link, headers)).toEqual({ ...shown, origin: null });
    const origin = { tenantKey: 'acme', operation: 'buy', limitName: 'per-minute' };
    const past = { limit: { limit: { limit: 25 } } };
    for (const headers of [await signInMember(app, 'acme', 'VIEWER'), undefined])
      expect(await find(link, headers)).toEqual({ ...shown, origin: { ...origin, past } });
    const changed = link.replace('RATE_EXCEEDED', 'QUOTA_EXCEEDED');
    for (const bad of [changed, `${link}A`, '', linkAt(Date.now() - EXPLAIN_LINK_MS - 1)])
      expect(await find(bad)).toBeNull();
  });

  it('lint warns of a limit by an identifier that recent requests lack', async () => {
    const requests = Array.from({ length: 25 }, (_, i) =>
      sample(`no-user-${i}`, {
        operation: 'sell',
        subject: i === 0 ? { user: '=customer-one' } : { ip: '~192.0.2.1' },
      }),
    );
    await note(requests);
    const byUser = { ...LIMIT, limit: 5, name: 'sell-by-user', operations: ['sell'], per: ['user', 'ip'] };
    const expectedVersion = await versionOf(app, 'tier', 'basic');
    const input = { tierKey: 'basic', expectedVersion, limits: [LIMIT, byUser] };
    expect((await app.graphql(SAVE_DRAFT, { input })).errors).toEqual([]);
    const { data } = await app.graphql(
      '{ tierLint(tierKey: "basic") { severity code path message advice } }',
    );
    const found = data.tierLint.filter(({ code }: { code: string }) => code === 'MISSING_DIMENSION');
    expect(found).toMatchObject([
      {
        severity: 'WARNING',
        path: ['limits', '1', 'per'],
        message: 'Limit "sell-by-user" counts by user; 96 % of recent requests to sell had no user.',
      },
    ]);
    const publish = `mutation($input: TierPublishInput!) {
      tierPublish(input: $input) { warnings { code } userErrors { code } }
    }`;
    const answer = await app.graphql(publish, {
      input: { tierKey: 'basic', expectedVersion: expectedVersion + 1, dryRun: true },
    });
    expect(answer.data?.tierPublish.warnings).toContainEqual({ code: 'MISSING_DIMENSION' });
    const discard = `mutation($input: TierDraftDiscardInput!) {
      tierDraftDiscard(input: $input) { userErrors { message } } }`;
    const draft = { tierKey: 'basic', expectedVersion: await versionOf(app, 'tier', 'basic') };
    expect((await app.graphql(discard, { input: draft })).data.tierDraftDiscard.userErrors).toEqual([]);
  });
});

describe('the counter before a decision', () => {
  const FIND = `query($key: String!, $id: String!) { decisionExplanation(tenantKey: $key, requestId: $id) {
    minute {
      replayProblem
      replay { from to stepMs limit decisions compared mismatches reliable steps { at left allowed denied } }
    }
  } }`;
  const minuteMs = (Math.floor(Date.now() / 60_000) - 1) * 60_000;
  const deniedAt = minuteMs + 5000;
  let revision: number;

  /** A decision of the limit `per-user`. */
  const decided = (requestId: string, atMs: number, limit = 5, user = 'customer-one', rule?: string) =>
    sample(requestId, {
      ...{ atMs, revision, limit: 'per-user', outcome: 'denied', reason: 'RATE_EXCEEDED', retryAfter: 55 },
      policies: [{ name: 'per-user', limit, remaining: 0, reset: atMs, mode: 'enforce', success: false }],
      subject: { user: `=${user}`, ip: '~192.0.2.1' },
      ...(rule === undefined ? {} : { rule }),
    });

  beforeAll(async () => {
    const limits = [LIMIT, { ...LIMIT, name: 'per-user', per: ['user'], limit: 5 }];
    const expectedVersion = await versionOf(app, 'tier', 'basic');
    await app.graphql(PUBLISH, { input: { tierKey: 'basic', expectedVersion, limits } });
    await policyPublished(app.database);
    const { number } = await app.database.policyRevision.findFirstOrThrow({ orderBy: { number: 'desc' } });
    revision = number;
    const builder = new BlockBuilder();
    const record = (atMs: number, user: string, isDenied = false, tenant = 'acme') =>
      builder.add(
        atMs * 1000,
        builder.subjectOf(tenant, { user, ip: '192.0.2.1' }),
        builder.operationOf('shop', 'buy'),
        1,
        builder.verdictOf(isDenied ? 'denied' : 'allowed', 0, 'per-user', revision),
      );
    for (let n = 0; n < 5; n++) record(minuteMs + n * 1000, 'customer-one');
    record(minuteMs + 4500, 'customer-two');
    record(minuteMs + 4600, 'customer-one', false, 'other');
    record(deniedAt, 'customer-one', true);
    for (const atMs of [minuteMs + 5100, minuteMs + 5200]) record(atMs, 'customer-three');
    record(minuteMs + 5300, 'customer-three', true);
    const header = { node: 'n1', epoch: 'e1', sequence: 1, dropped: 0, resolutionUs: 1 };
    await TRAFFIC_STREAM.write(redis, encodeBlock(builder.build(header)));
    await app.app.get(JobsRunner, { strict: false }).run('traffic-ingest');
    const unrecorded = decided('unrecorded', deniedAt + 10_000);
    const set = `mutation($input: SubjectRuleSetInput!) { subjectRuleSet(input: $input) { subjectRule { id } } }`;
    const target = { tenantKey: 'acme', apiKey: 'shop', limit: 'per-user', reason: 'Trial' };
    const effect = { kind: 'SET', limit: 2 };
    const input = { ...target, dimension: 'user', pattern: 'customer-three', effect };
    const { id } = (await app.graphql(set, { input })).data.subjectRuleSet.subjectRule;
    const byRule = decided('by-rule', minuteMs + 5300, 2, 'customer-three', id);
    await note([decided('replayed', deniedAt), decided('changed-since', deniedAt, 3), byRule, unrecorded]);
  });

  const find = async (id: string, headers?: Record<string, string>, key = 'acme') => {
    const { data, errors } = await app.graphql(FIND, { key, id }, headers);
    return errors.length > 0 ? errors[0]?.extensions.code : data.decisionExplanation.minute;
  };

  it('is replayed from the recorded requests of its caller, also for members', async () => {
    for (const headers of [undefined, await signInMember(app, 'acme', 'VIEWER')]) {
      const { replay, replayProblem } = await find('replayed', headers);
      expect(replayProblem).toBeNull();
      const { steps, from, to, ...counts } = replay;
      expect(counts).toEqual({
        ...{ stepMs: 501, limit: 5, decisions: 6, compared: 6, mismatches: 0, reliable: true },
      });
      expect([Date.parse(from), Date.parse(to)]).toEqual([deniedAt - 60_000, deniedAt + 1]);
      expect(steps).toHaveLength(120);
      expect(steps[0]).toMatchObject({ left: 5, allowed: 0, denied: 0 });
      expect(steps.at(-1)).toMatchObject({ left: 0, denied: 1 });
    }
  });

  it('is replayed by the rule that changed the limit for the caller', async () => {
    const { replay } = await find('by-rule', await signInMember(app, 'acme', 'VIEWER'));
    expect(replay).toMatchObject({ limit: 2, decisions: 3, compared: 3, mismatches: 0, reliable: true });
  });

  it('is not replayed where the recording or the limit does not allow it', async () => {
    expect(await find('unrecorded')).toEqual({ replay: null, replayProblem: 'NOT_RECORDED' });
    expect(await find('changed-since')).toEqual({ replay: null, replayProblem: 'NOT_COVERED' });
  });

  it('is hidden from members of other tenants', async () => {
    const other = await signInMember(app, 'other', 'OWNER');
    expect(await find('replayed', other)).toBe('NOT_FOUND');
  });
});

describe('the limit of a decision', () => {
  it('has the rule that changed it for the caller as last step, and has it today while the rule is live', async () => {
    const set = `mutation($input: SubjectRuleSetInput!) {
      subjectRuleSet(input: $input) { subjectRule { id } userErrors { message } } }`;
    const remove = `mutation($input: SubjectRuleRemoveInput!) {
      subjectRuleRemove(input: $input) { userErrors { message } } }`;
    const target = { tenantKey: 'acme', apiKey: 'shop', limit: 'per-user', reason: 'Trial' };
    const input = { ...target, dimension: 'user', pattern: 'trial', effect: { kind: 'SET', limit: 4 } };
    const { id } = (await app.graphql(set, { input })).data.subjectRuleSet.subjectRule;
    await policyPublished(app.database);
    const { number: revision } = await app.database.policyRevision.findFirstOrThrow({
      orderBy: { number: 'desc' },
    });
    const policy = { name: 'per-user', limit: 4, remaining: 0, reset: Date.now(), mode: 'enforce' as const };
    const denied = { outcome: 'denied', reason: 'RATE_EXCEEDED', retryAfter: 20, limit: 'per-user' } as const;
    await note([
      sample('trial', { ...denied, revision, policies: [{ ...policy, success: false }], rule: id }),
    ]);
    const query = `query { decisionExplanation(tenantKey: "acme", requestId: "trial") {
      rule { kind live } today { limit { limit } }
      past { limit { source limit { limit } provenance { source adjustmentId label from to } } } } }`;
    const explained = async (headers?: Record<string, string>) =>
      (await app.graphql(query, {}, headers)).data.decisionExplanation;
    const step = { source: 'SUBJECT_RULE', adjustmentId: id, label: 'user trial', from: 5, to: 4 };
    const past = { limit: { source: 'SUBJECT_RULE', limit: { limit: 4 }, provenance: [step] } };
    for (const headers of [undefined, await signInMember(app, 'acme', 'VIEWER')]) {
      const now = { rule: { kind: 'SET', live: true }, today: { limit: { limit: 4 } } };
      expect(await explained(headers)).toEqual({ ...now, past });
    }
    const ladder = `query($tenantKey: String!, $id: ID!) {
      limitLadder(tenantKey: $tenantKey, apiKey: "shop", limitName: "per-user", subjectRuleId: $id) {
        limit { limit { limit } } sources { adjustmentId actor reason changeId } } }`;
    const ladderOf = async (tenantKey: string) =>
      (await app.graphql(ladder, { tenantKey, id })).data.limitLadder;
    const origin = { actor: expect.any(String), reason: 'Trial', changeId: expect.any(String) };
    const sources = [{ adjustmentId: id, ...origin }];
    expect(await ladderOf('acme')).toEqual({ limit: { limit: { limit: 4 } }, sources });
    // The rule of another tenant changes nothing.
    expect(await ladderOf('other')).toEqual({ limit: { limit: { limit: 5 } }, sources: [] });
    await app.graphql(remove, { input: { tenantKey: 'acme', id, reason: 'over' } });
    const now = { rule: { kind: 'SET', live: false }, today: { limit: { limit: 5 } } };
    expect(await explained()).toEqual({ ...now, past });
  });
});

function requestsOf(data: { decisions: { nodes: { requestId: string }[] } }): string[] {
  return data.decisions.nodes.map(({ requestId }) => requestId);
}
