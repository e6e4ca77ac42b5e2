import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, HOUR_MS, MeteredApp, NOW } from './support/metered-app.js';
import { signInMember } from './support/sign-in-member.js';
import { usageRow } from './support/usage-frames.js';
import { describeComparisons } from './usage/comparisons-suite.js';
import { describeOutlook } from './usage/outlook-suite.js';

const minutesIn = (minutes: number) => new Date(HOUR.getTime() + minutes * 60_000);

const metered = new MeteredApp();

beforeAll(() => metered.start());
afterAll(() => metered.stop());

describe('usage', () => {
  const USAGE = `query($tenantKey: String!, $from: DateTime!, $to: DateTime, $interval: UsageInterval!, $groupBy: [UsageGroup!],
      $apiKey: String, $operation: String, $limitName: String) {
    usage(tenantKey: $tenantKey, from: $from, to: $to, interval: $interval, groupBy: $groupBy, apiKey: $apiKey,
      operation: $operation, limitName: $limitName) {
      tenantKey interval timeZone from to keptSince omittedSeries total { count denied units }
      series { apiKey operation limitName outcome total { count denied units } points { at count denied units } }
    }
  }`;
  const ask = (variables: object, headers?: Record<string, string>) =>
    metered.app.graphql(
      USAGE,
      { tenantKey: 'acme', from: HOUR, to: minutesIn(60), interval: 'MINUTE', ...variables },
      headers,
    );

  it('is returned by minute, hour and day', async () => {
    const { data, errors } = await ask({});
    expect(errors).toEqual([]);
    const total = { count: 11, denied: 3, units: 83 };
    expect(data.usage).toMatchObject({ tenantKey: 'acme', timeZone: 'UTC', from: HOUR.toISOString(), total });
    expect(data.usage.series).toEqual([
      {
        apiKey: null,
        operation: null,
        limitName: null,
        outcome: null,
        total,
        points: [
          { at: HOUR.toISOString(), count: 6, denied: 0, units: 60 },
          { at: minutesIn(1).toISOString(), count: 5, denied: 3, units: 23 },
        ],
      },
    ]);
    const hours = await ask({ interval: 'HOUR', from: minutesIn(59), to: undefined });
    expect(hours.data.usage.series[0].points.map(({ count }: { count: number }) => count)).toEqual([11, 1]);
    const days = await ask({ interval: 'DAY', to: undefined });
    expect(days.data.usage.total).toEqual({ count: 12, denied: 3, units: 84 });
  });

  it('is grouped and filtered by API, operation, limit and outcome', async () => {
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
      ['shop', 'per-minute', 'DENIED', 3],
      ['unknown', '', 'NO_LIMIT', 1],
    ]);
    expect(await apart([], { operation: 'sell' })).toEqual([[2]]);
    expect(await apart([], { limitName: 'per-minute' })).toEqual([[11]]);
  });

  it.each([
    ['a stretch that ends before it begins', { to: new Date(0) }, /from must be before to/],
    ['too many minutes', { from: new Date(HOUR.getTime() - 25 * HOUR_MS) }, /24 hours by MINUTE. Use HOUR/],
    ['too many hours', { interval: 'HOUR', from: '2026-01-01T00:00:00Z' }, /62 days by HOUR. Use DAY/],
    ['what is no name', { apiKey: 'No API' }, /apiKey is not a valid name/],
  ])('rejects %s with advice', async (_, variables, message) => {
    const { errors } = await ask(variables);
    expect(errors[0]).toMatchObject({
      message: expect.stringMatching(message),
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });

  it('is null for an unknown tenant', async () => {
    expect((await ask({ tenantKey: 'nobody' })).data).toEqual({ usage: null });
  });

  it('is visible to operators and to members of the tenant', async () => {
    const member = await signInMember(metered.app, 'acme', 'DEVELOPER');
    expect((await ask({}, member)).data.usage.total.count).toBe(11);
    const [missing, foreign] = [
      await ask({ tenantKey: 'nobody' }, member),
      await ask({ tenantKey: 'other' }, member),
    ];
    expect(foreign.errors[0]?.extensions.code).toBe('NOT_FOUND');
    expect(foreign.errors[0]?.message).toBe(missing.errors[0]?.message);
    expect((await ask({}, await metered.app.signIn('VIEWER'))).errors).toEqual([]);
  });
});

describeComparisons(metered);
describeOutlook(metered);

describe('discoveredOperations', () => {
  const DISCOVERED = `query($apiKey: String) { discoveredOperations(apiKey: $apiKey) {
    apiKey apiKnown operation known count tenants lastHour } }`;

  it('lists unregistered operations and those without a limit', async () => {
    await metered.report([
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
    const { data, errors } = await metered.app.graphql(DISCOVERED);
    expect(errors).toEqual([]);
    expect(data.discoveredOperations).toMatchObject([
      { apiKey: 'shop', apiKnown: true, operation: 'browse', known: false, count: 9, tenants: 1 },
      { apiKey: 'shop', apiKnown: true, operation: 'sell', known: true, count: 4, tenants: 1 },
      { apiKey: 'unknown', apiKnown: false, operation: 'buy', known: false, count: 1, tenants: 1 },
    ]);
    const ofOne = await metered.app.graphql(DISCOVERED, { apiKey: 'unknown' });
    expect(ofOne.data.discoveredOperations).toHaveLength(1);
  });

  it('is visible to operators only and bounded', async () => {
    const { errors } = await metered.app.graphql('{ discoveredOperations(first: 101) { operation } }');
    expect(errors[0]?.message).toMatch(/1 to 100/);
  });
});
