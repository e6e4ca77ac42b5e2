import type { UsageFrame, UsageRow } from '@tollgate/contracts';
import { USAGE_STREAM } from '@tollgate/decision-plane';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobsRunner } from '../src/platform/jobs/jobs-runner.js';
import { createPolicy, PUBLISH, SAVE_DRAFT } from './support/policy-factory.js';
import { signInMember } from './support/sign-in-member.js';
import { startTestApp, type TestApp } from './support/test-app.js';
import { minuteAt, usageFrame, usageRow } from './support/usage-frames.js';

const HOUR_MS = 3_600_000;

/** The beginning of an hour that is over, early enough that all of its minutes are. */
const HOUR = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS);

const NOW = minuteAt(Date.now());

const minutesIn = (minutes: number) => new Date(HOUR.getTime() + minutes * 60_000);

let app: TestApp;
let redis: Redis;
let run: (job: string) => Promise<void>;
let sequence = 0;

beforeAll(async () => {
  app = await startTestApp();
  redis = new Redis(app.redisUrl);
  const jobs = app.app.get(JobsRunner, { strict: false });
  run = (job) => jobs.run(job);
  await createPolicy(app);
  const create =
    'mutation { tenantCreate(input: { key: "other", name: "Other", tierKey: "basic" }) { changeId } }';
  await app.graphql(create);
  await tell([
    usageRow({ minute: minuteAt(HOUR), count: 6, units: 60 }),
    usageRow({ minute: minuteAt(HOUR) + 1, count: 2, units: 20, operation: 'sell' }),
    usageRow({ minute: minuteAt(HOUR) + 1, count: 3, units: 3, outcome: 'refused' }),
    usageRow({ minute: minuteAt(HOUR) + 90, count: 1, limit: null, outcome: 'no_limit', api: 'unknown' }),
    usageRow({ tenant: 'other', minute: NOW, count: 100, units: 100 }),
  ]);
});
afterAll(async () => {
  redis?.disconnect();
  await app?.stop();
});

async function tell(rows: UsageRow[], more: Partial<UsageFrame> = {}): Promise<void> {
  await USAGE_STREAM.write(redis, usageFrame(++sequence, rows, more));
  await run('usage-ingest');
}

describe('usage', () => {
  const USAGE = `query($tenantKey: String!, $from: DateTime!, $to: DateTime, $interval: UsageInterval!, $groupBy: [UsageGroup!],
      $apiKey: String, $operation: String, $limitName: String) {
    usage(tenantKey: $tenantKey, from: $from, to: $to, interval: $interval, groupBy: $groupBy, apiKey: $apiKey,
      operation: $operation, limitName: $limitName) {
      tenantKey interval timeZone from to keptSince omittedSeries total { count refused units }
      series { apiKey operation limitName outcome total { count refused units } points { at count refused units } }
    }
  }`;
  const ask = (variables: object, headers?: Record<string, string>) =>
    app.graphql(
      USAGE,
      { tenantKey: 'acme', from: HOUR, to: minutesIn(60), interval: 'MINUTE', ...variables },
      headers,
    );

  it('is told by minute, hour and day', async () => {
    const { data, errors } = await ask({});
    expect(errors).toEqual([]);
    const total = { count: 11, refused: 3, units: 83 };
    expect(data.usage).toMatchObject({ tenantKey: 'acme', timeZone: 'UTC', from: HOUR.toISOString(), total });
    expect(data.usage.series).toEqual([
      {
        apiKey: null,
        operation: null,
        limitName: null,
        outcome: null,
        total,
        points: [
          { at: HOUR.toISOString(), count: 6, refused: 0, units: 60 },
          { at: minutesIn(1).toISOString(), count: 5, refused: 3, units: 23 },
        ],
      },
    ]);
    const hours = await ask({ interval: 'HOUR', from: minutesIn(59), to: undefined });
    expect(hours.data.usage.series[0].points.map(({ count }: { count: number }) => count)).toEqual([11, 1]);
    const days = await ask({ interval: 'DAY', to: undefined });
    expect(days.data.usage.total).toEqual({ count: 12, refused: 3, units: 84 });
  });

  it('is told apart by API, operation, limit and outcome, and of one of them', async () => {
    const apart = async (groupBy: string[], more: object = {}) => {
      const { data } = await ask({ groupBy, to: undefined, ...more });
      return data.usage.series.map(
        ({ apiKey, operation, limitName, outcome, total }: Record<string, unknown>) =>
          [apiKey, operation, limitName, outcome, (total as { count: number }).count].filter(
            (value) => value !== null,
          ),
      );
    };
    expect(await apart(['API'])).toEqual([
      ['shop', 11],
      ['unknown', 1],
    ]);
    expect(await apart(['OPERATION'], { apiKey: 'shop' })).toEqual([
      ['shop', 'buy', 9],
      ['shop', 'sell', 2],
    ]);
    expect(await apart(['LIMIT', 'OUTCOME'])).toEqual([
      ['shop', 'per-minute', 'ALLOWED', 8],
      ['shop', 'per-minute', 'REFUSED', 3],
      ['unknown', '', 'NO_LIMIT', 1],
    ]);
    expect(await apart([], { operation: 'sell' })).toEqual([[2]]);
    expect(await apart([], { limitName: 'per-minute' })).toEqual([[11]]);
  });

  it.each([
    ['a stretch that ends before it begins', { to: new Date(0) }, /from must be before to/],
    [
      'too many minutes',
      { from: new Date(HOUR.getTime() - 25 * HOUR_MS) },
      /24 hours by MINUTE; ask by HOUR/,
    ],
    ['too many hours', { interval: 'HOUR', from: '2026-01-01T00:00:00Z' }, /62 days by HOUR; ask by DAY/],
    ['what is no name', { apiKey: 'No API' }, /apiKey is not such a name/],
  ])('refuses %s and says what to do', async (_, variables, message) => {
    const { errors } = await ask(variables);
    expect(errors[0]).toMatchObject({
      message: expect.stringMatching(message),
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });

  it('of a tenant that is not there is null', async () => {
    expect((await ask({ tenantKey: 'nobody' })).data).toEqual({ usage: null });
  });

  it('is for operators and for the people of the tenant', async () => {
    const member = await signInMember(app, 'acme', 'DEVELOPER');
    expect((await ask({}, member)).data.usage.total.count).toBe(11);
    const [missing, foreign] = [
      await ask({ tenantKey: 'nobody' }, member),
      await ask({ tenantKey: 'other' }, member),
    ];
    expect(foreign.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect(foreign.errors[0]?.message).toBe(missing.errors[0]?.message);
    expect((await ask({}, await app.signIn('VIEWER'))).errors).toEqual([]);
  });
});

describe('usageTop and limitOffenders', () => {
  const TOP = `query($from: DateTime!, $orderBy: UsageOrder, $first: Int, $apiKey: String) {
    usageTop(from: $from, orderBy: $orderBy, first: $first, apiKey: $apiKey) { tenantKey tenantName count refused units }
  }`;

  it('compare tenants, over hours and over days', async () => {
    const top = async (variables: object) =>
      (await app.graphql(TOP, { from: HOUR, ...variables })).data.usageTop;
    expect(await top({})).toEqual([
      { tenantKey: 'other', tenantName: 'Other', count: 100, refused: 0, units: 100 },
      { tenantKey: 'acme', tenantName: 'Acme', count: 12, refused: 3, units: 84 },
    ]);
    expect(await top({ orderBy: 'REFUSED' })).toMatchObject([{ tenantKey: 'acme' }]);
    expect(await top({ apiKey: 'unknown' })).toMatchObject([{ tenantKey: 'acme', count: 1 }]);
    expect(await top({ from: new Date(HOUR.getTime() - 30 * 24 * HOUR_MS), first: 1 })).toMatchObject([
      { count: 100 },
    ]);
    const { errors } = await app.graphql(TOP, { from: new Date(HOUR.getTime() - 93 * 24 * HOUR_MS) });
    expect(errors[0]?.message).toMatch(/at most 92 days; ask for less/);
    expect((await app.graphql(TOP, { from: HOUR, first: 101 })).errors[0]?.message).toMatch(
      /first must be 1 to 100/,
    );
  });

  it('name the counters that most refusals came from; a tenant is shown its own', async () => {
    const offender = (tenant: string, counter: string, units: number) => ({
      tenant,
      api: 'shop',
      limit: 'per-user',
      counter,
      units,
      error: 1,
    });
    const offenders = [
      offender('acme', '{acme}=u1', 5),
      offender('acme', '{acme}=u2', 9),
      offender('other', '{other}', 7),
    ];
    await tell([], { offenders });
    const query = `query($tenantKey: String, $from: DateTime!) {
      limitOffenders(tenantKey: $tenantKey, from: $from) { tenantKey apiKey limitName counter units error lastHour }
    }`;
    const list = async (tenantKey: string | undefined, headers?: Record<string, string>) =>
      app.graphql(query, { from: HOUR, tenantKey }, headers);
    const all = (await list(undefined)).data.limitOffenders;
    expect(all.map(({ counter }: { counter: string }) => counter)).toEqual([
      '{acme}=u2',
      '{other}',
      '{acme}=u1',
    ]);
    const member = await signInMember(app, 'acme', 'VIEWER');
    expect((await list('acme', member)).data.limitOffenders).toMatchObject([
      { tenantKey: 'acme', apiKey: 'shop', limitName: 'per-user', units: 9, error: 1 },
      { units: 5 },
    ]);
    expect((await list(undefined, member)).errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await list('other', member)).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

describe('limitCrossings', () => {
  it('are listed newest first, page by page', async () => {
    const crossing = (id: string, atMs: number) => ({
      id,
      tenant: 'acme',
      api: 'shop',
      limit: 'per-minute',
      counter: '{acme}:k',
      percent: 80,
      used: 8,
      capacity: 10,
      atMs,
    });
    await tell([], { crossings: [1, 2, 3].map((n) => crossing(`c${n}`, HOUR.getTime() + n)) });
    const query = `query($after: String) { limitCrossings(tenantKey: "acme", first: 2, after: $after) {
      totalCount pageInfo { hasNextPage endCursor } nodes { id apiKey limitName counter percent used capacity at }
    } }`;
    const first = (await app.graphql(query)).data.limitCrossings;
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const second = (await app.graphql(query, { after: first.pageInfo.endCursor })).data.limitCrossings;
    const times = [...first.nodes, ...second.nodes].map(
      ({ at }: { at: string }) => Date.parse(at) - HOUR.getTime(),
    );
    expect(times).toEqual([3, 2, 1]);
    expect(second.nodes[0]).toMatchObject({
      apiKey: 'shop',
      limitName: 'per-minute',
      percent: 80,
      used: 8,
      capacity: 10,
    });
    const member = await signInMember(app, 'other', 'OWNER');
    expect((await app.graphql(query, {}, member)).errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

describe('usageSummary', () => {
  it('says where a tenant stands in its period', async () => {
    const { data, errors } = await app.graphql(`{ usageSummary(tenantKey: "other") {
      tenantKey periodStart periodEnd total { count refused units } peakDay { at count } peakMinute { at count }
      quotas { limitName }
    } }`);
    expect(errors).toEqual([]);
    expect(data.usageSummary).toMatchObject({
      tenantKey: 'other',
      total: { count: 100, refused: 0, units: 100 },
      peakDay: { count: 100 },
      peakMinute: { at: new Date(NOW * 60_000).toISOString(), count: 100 },
      quotas: [],
    });
    const nobody = await app.graphql('{ usageSummary(tenantKey: "nobody") { tenantKey } }');
    expect(nobody.data).toEqual({ usageSummary: null });
    const member = await signInMember(app, 'acme', 'OWNER');
    const foreign = await app.graphql('{ usageSummary(tenantKey: "other") { tenantKey } }', {}, member);
    expect(foreign.errors[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

describe('runningOut', () => {
  const ASK = `query($hours: Int, $first: Int) { runningOut(hours: $hours, first: $first) {
    tenantKey tenantName timeZone quota { apiKey limitName used limit unitsPerHour runsOutAt isLive } } }`;

  it('names who will have used up a quota within the day if it goes on like that, the soonest first', async () => {
    await app.graphql(`mutation { tierCreate(input: { key: "small", name: "Small" }) { tier { id } } }`);
    const monthly = {
      name: 'monthly',
      apiKey: 'shop',
      algorithm: 'QUOTA',
      period: 'MONTH',
      limit: 100,
    };
    const save = await app.graphql(SAVE_DRAFT, {
      input: { tierKey: 'small', expectedVersion: 1, limits: [monthly] },
    });
    expect(save.data.tierDraftSave.userErrors).toEqual([]);
    await app.graphql(PUBLISH, { input: { tierKey: 'small', expectedVersion: 2 } });
    for (const key of ['fast', 'soon', 'calm'])
      await app.graphql(
        `mutation { tenantCreate(input: { key: "${key}", name: "${key}", tierKey: "small" }) { changeId } }`,
      );
    await tell(
      [
        ['fast', 240],
        ['soon', 120],
        ['calm', 10],
      ].map(([tenant, units]) =>
        usageRow({ tenant: `${tenant}`, minute: NOW, count: Number(units), units: Number(units) }),
      ),
    );
    const { data, errors } = await app.graphql(ASK, { hours: 24 });
    expect(errors).toEqual([]);
    expect(data.runningOut.map(({ tenantKey }: { tenantKey: string }) => tenantKey)).toEqual([
      'fast',
      'soon',
    ]);
    expect(data.runningOut[1]).toMatchObject({
      tenantName: 'soon',
      quota: { apiKey: 'shop', limitName: 'monthly', used: 0, limit: 100, unitsPerHour: 5, isLive: true },
    });
    const soon = await app.graphql(ASK, { hours: 12 });
    expect(soon.data.runningOut).toMatchObject([{ tenantKey: 'fast' }]);
    expect((await app.graphql(ASK, { first: 1 })).data.runningOut).toHaveLength(1);
  });

  it.each([{ hours: 0 }, { hours: 25 }, { first: 0 }, { first: 51 }])('%j is refused', async (variables) => {
    expect((await app.graphql(ASK, variables)).errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  it('is for operators', async () => {
    const member = await signInMember(app, 'acme', 'OWNER');
    expect((await app.graphql(ASK, {}, member)).errors[0]?.extensions.code).toBe('FORBIDDEN');
  });
});

describe('discoveredOperations', () => {
  const DISCOVERED = `query($apiKey: String) { discoveredOperations(apiKey: $apiKey) {
    apiKey apiKnown operation known count tenants lastHour } }`;

  it('are those that nobody configured, or that no limit applied to', async () => {
    await tell([
      usageRow({ minute: NOW, count: 9, operation: 'browse', limit: null, outcome: 'no_limit' }),
      usageRow({
        minute: NOW,
        count: 4,
        operation: 'sell',
        limit: null,
        outcome: 'no_limit',
        tenant: 'other',
      }),
    ]);
    const { data, errors } = await app.graphql(DISCOVERED);
    expect(errors).toEqual([]);
    expect(data.discoveredOperations).toMatchObject([
      { apiKey: 'shop', apiKnown: true, operation: 'browse', known: false, count: 9, tenants: 1 },
      { apiKey: 'shop', apiKnown: true, operation: 'sell', known: true, count: 4, tenants: 1 },
      { apiKey: 'unknown', apiKnown: false, operation: 'buy', known: false, count: 1, tenants: 1 },
    ]);
    const ofOne = await app.graphql(DISCOVERED, { apiKey: 'unknown' });
    expect(ofOne.data.discoveredOperations).toHaveLength(1);
  });

  it('are for operators only, and no more than one answer holds', async () => {
    const { errors } = await app.graphql('{ discoveredOperations(first: 101) { operation } }');
    expect(errors[0]?.message).toMatch(/1 to 100/);
  });
});
