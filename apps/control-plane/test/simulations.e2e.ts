import { eventually } from '@tollgate/test-kit';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobsRunner } from '../src/platform/jobs/jobs-runner.js';
import { createPolicy, LIMIT, PUBLISH, versionOf } from './support/policy-factory.js';
import { policyPublished } from './support/published-policy.js';
import { recordQuickRequests } from './support/recorded-traffic.js';
import { Shop, TOPUP } from './support/shop.js';
import { signInMember } from './support/sign-in-member.js';
import { startTestApp, type TestApp } from './support/test-app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await createPolicy(app);
  await policyPublished(app.database);
});
afterAll(() => app?.stop());

describe('a simulation', () => {
  const START = `mutation($input: SimulationStartInput!) {
    simulationStart(input: $input) { simulation { id state } userErrors { code field message } }
  }`;
  const FIND = `query($id: ID!) { simulation(id: $id) {
    state message decisions replayed requestedBy
    result {
      reliable covered baseline baselineDenied draftDenied newlyDenied newlyDeniedUnits newlyDeniedTenants notWarm
      unpricedUnits newlyDeniedCosts { currency amountMinor units offerKeys }
      calibration { compared mismatches share } uncovered { reason decisions }
      limits { apiKey limitName decisions baselineDenied draftDenied newlyDenied newlyDeniedUnits }
      tenants { tenantKey tenantName newlyDenied examples { operation limitName retryAfter subject { dimension } } }
      series { at decisions draftDenied }
    }
  } }`;
  const GCRA = { ...LIMIT, algorithm: 'GCRA', burst: 0 };
  const publish = (limits: object[]) => ({ command: 'tierPublish', input: { tierKey: 'basic', limits } });
  const start = async (input: object, headers?: Record<string, string>) => {
    const { data, errors } = await app.graphql(START, { input }, headers);
    expect(errors).toEqual([]);
    return data.simulationStart;
  };
  const simulate = async (input: object) => {
    const { simulation, userErrors } = await start(input);
    expect(userErrors).toEqual([]);
    await app.app.get(JobsRunner, { strict: false }).run('simulations');
    // The schedule may have taken it before.
    const find = async () => (await app.graphql(FIND, { id: simulation.id })).data.simulation;
    await eventually(async () => ['DONE', 'FAILED'].includes((await find()).state));
    return find();
  };

  it('needs a recording', async () => {
    const { simulation, userErrors } = await start({ changes: [publish([GCRA])] });
    expect({ simulation, userErrors }).toMatchObject({
      simulation: null,
      userErrors: [{ code: 'NOT_FOUND', field: ['hours'] }],
    });
  });

  describe('of nine quick requests', () => {
    beforeAll(async () => {
      const target = { tenantKey: 'acme', api: 'shop', operation: 'buy', limit: 'per-minute' };
      await recordQuickRequests(app, target);
    });

    it('shows that GCRA without burst denies eight of them', async () => {
      expect(await simulate({ changes: [publish([GCRA])] })).toMatchObject({
        state: 'DONE',
        decisions: 9,
        replayed: 9,
        result: {
          reliable: true,
          calibration: { compared: 9, mismatches: 0, share: 0 },
          ...{ covered: 9, baseline: 'LIVE', baselineDenied: 0, draftDenied: 8, newlyDenied: 8 },
          ...{ newlyDeniedUnits: 8, newlyDeniedTenants: 1, notWarm: ['shop/per-minute'] },
          ...{ unpricedUnits: 8, newlyDeniedCosts: [] },
          limits: [
            {
              ...{ apiKey: 'shop', limitName: 'per-minute', decisions: 9, baselineDenied: 0, draftDenied: 8 },
              ...{ newlyDenied: 8, newlyDeniedUnits: 8 },
            },
          ],
          series: [{ decisions: 9, draftDenied: 8 }],
        },
      });
    });

    it('names the tenants and their first denied requests', async () => {
      const { result } = await simulate({ changes: [publish([GCRA])] });
      const example = { operation: 'buy', limitName: 'per-minute', subject: [{ dimension: 'user' }] };
      expect(result.tenants).toMatchObject([
        { tenantKey: 'acme', tenantName: 'Acme', newlyDenied: 8, examples: [example, example, example] },
      ]);
      expect(result.tenants[0].examples[0].retryAfter).toBe(6);
    });

    it('is not repeated for the same draft', async () => {
      const first = await start({ changes: [publish([GCRA])] });
      const other = await start({ changes: [publish([GCRA])], hours: 2 });
      expect((await start({ changes: [publish([GCRA])] })).simulation.id).toBe(first.simulation.id);
      expect(other.simulation.id).not.toBe(first.simulation.id);
      const cancel = `mutation($input: SimulationCancelInput!) {
        simulationCancel(input: $input) { simulation { state } userErrors { code } } }`;
      const canceled = await app.graphql(cancel, { input: { id: other.simulation.id } });
      expect(canceled.data.simulationCancel.userErrors).toEqual([]);
    });

    it('streams its states until it ends', async () => {
      const { simulation } = await start({ changes: [publish([GCRA])], hours: 3 });
      const headers = await app.bearer(['admin']);
      const client = createClient({ url: `${app.url}/graphql/stream`, headers, retryAttempts: 0 });
      const query = `subscription($id: ID!) { simulationProgress(id: $id) { state replayed result { newlyDenied } } }`;
      const states: unknown[] = [];
      // The schedule starts the job.
      for await (const { data, errors } of client.iterate({ query, variables: { id: simulation.id } })) {
        expect(errors).toBeUndefined();
        states.push(data?.simulationProgress);
      }
      const unfinished = {
        state: expect.stringMatching(/^(WAITING|RUNNING)$/),
        replayed: expect.any(Number),
      };
      for (const state of states.slice(0, -1)) expect(state).toEqual({ ...unfinished, result: null });
      expect(states.at(-1)).toEqual({ state: 'DONE', replayed: 9, result: { newlyDenied: 8 } });
    });

    it('shows the effect of configurations, overrides and default limits', async () => {
      const even = { name: 'per-minute', api: 'shop', algorithm: 'gcra', limit: 10, window: '1m', burst: 0 };
      const config = JSON.stringify({ version: 1, tiers: { basic: { name: 'Basic', limits: [even] } } });
      const target = { tenantKey: 'acme', apiKey: 'shop', limit: 'per-minute' };
      const { apiKey: _, ...inherited } = { ...GCRA, name: 'even' };
      const override = { ...target, effect: { kind: 'SET', limit: 5 }, reason: 'Trial' };
      const drafts = [
        { config },
        { changes: [{ command: 'overrideSet', input: override }] },
        {
          changes: [
            {
              command: 'apiDefaultLimitsSet',
              input: { apiKey: 'shop', limits: [inherited] },
            },
          ],
        },
      ];
      const denied = [];
      for (const draft of drafts) denied.push((await simulate(draft)).result?.newlyDenied);
      expect(denied).toEqual([8, 4, 8]);
    });

    it('applies rules for subjects of a draft to the whole recording, as far as hashes can be matched', async () => {
      const denying = (pattern: string) => {
        const rule = { dimension: 'user', pattern, effect: { kind: 'deny' }, reason: 'Trial' };
        return {
          config: JSON.stringify({
            version: 1,
            tenants: { acme: { name: 'Acme', tier: 'basic', subjectRules: [rule] } },
          }),
        };
      };
      const resultOf = async (pattern: string) => (await simulate(denying(pattern))).result;
      expect(await resultOf('abc')).toMatchObject({ covered: 9, newlyDenied: 9 });
      expect(await resultOf('abd')).toMatchObject({ covered: 9, newlyDenied: 0 });
      expect(await resultOf('ab*')).toMatchObject({ covered: 0, newlyDenied: 0 });
    });

    it('starts quotas with the usage before the recording, and prices denied units as top-ups', async () => {
      const quota = (limit: number) => ({
        ...{ name: 'per-month', apiKey: 'shop', operations: ['buy'], per: [] },
        ...{ algorithm: 'QUOTA', limit, period: 'MONTH', onUnavailable: 'SHARE' },
      });
      const expectedVersion = await versionOf(app, 'tier', 'basic');
      await app.graphql(PUBLISH, {
        input: { tierKey: 'basic', expectedVersion, limits: [LIMIT, quota(1000)] },
      });
      await policyPublished(app.database);
      const { id: tenantId } = await app.database.tenant.findUniqueOrThrow({ where: { key: 'acme' } });
      const { fromUs } = await app.database.trafficBlock.findFirstOrThrow({ where: { tenantId } });
      const recordedAt = new Date(Number(fromUs) / 1000);
      const at = new Date(Date.UTC(recordedAt.getUTCFullYear(), recordedAt.getUTCMonth() + 1, 1));
      const reading = {
        tenantId,
        api: 'shop',
        limitName: 'per-month',
        at,
        isQuota: true,
        peakAt: recordedAt,
      };
      await app.database.limitPeak.create({ data: { ...reading, used: 100, capacity: 1000, denied: 0 } });
      const series = { api: 'shop', operation: 'buy', limitName: 'per-minute', outcome: 'ALLOWED' as const };
      const { id: seriesId } = await app.database.usageSeries.create({ data: series });
      await app.database.usageMinute.create({
        data: { tenantId, at: recordedAt, seriesId, count: 9, units: 9 },
      });
      const draft = { changes: [publish([LIMIT, quota(95)])] };
      // 91 used before, and nine requests: the last five are denied.
      const denied = { newlyDenied: 5, notWarm: ['shop/per-minute'] };
      const unpriced = { unpricedUnits: 5, newlyDeniedCosts: [] };
      expect((await simulate(draft)).result).toMatchObject({ ...denied, ...unpriced });
      // 500 units for 9 €; the replay is not repeated.
      const effects = [{ apiKey: 'shop', limitName: 'per-month', kind: 'ADD', units: 500 }];
      await new Shop(app).sell({ ...TOPUP, effects });
      const cost = { currency: 'EUR', amountMinor: 9, units: 5, offerKeys: [TOPUP.key] };
      const priced = { unpricedUnits: 0, newlyDeniedCosts: [cost] };
      expect((await simulate(draft)).result).toMatchObject({ ...denied, ...priced });
    });

    it('reports drafts that are invalid, without effect or not permitted', async () => {
      const errorOf = async (input: object, headers?: Record<string, string>) =>
        (await start(input, headers)).userErrors[0];
      expect(await errorOf({})).toMatchObject({ code: 'INVALID', field: ['changes'] });
      expect(await errorOf({ changes: [publish([{ ...GCRA, windowMs: -1 }])] })).toMatchObject({
        code: 'INVALID',
        field: ['changes', '0', 'input', 'limits', '0', 'windowMs'],
      });
      expect(await errorOf({ changeSetId: 'cst_none' })).toMatchObject({ code: 'NOT_FOUND' });
      const member = await signInMember(app, 'acme', 'OWNER');
      const { errors } = await app.graphql(START, { input: { changes: [publish([GCRA])] } }, member);
      expect(errors[0]?.extensions.code).toBe('FORBIDDEN');
    });
  });

  describe('of one tenant', () => {
    const draft = {
      changes: [{ command: 'tierPublish', input: { tierKey: 'plain', limits: [GCRA] } }],
      tenantKeys: ['solo'],
    };
    const publishNow = async (tierKey: string, limit: number) => {
      const expectedVersion = await versionOf(app, 'tier', tierKey);
      const limits = [{ ...LIMIT, limit }];
      const { data } = await app.graphql(PUBLISH, { input: { tierKey, expectedVersion, limits } });
      expect(data.tierPublish.userErrors).toEqual([]);
      await policyPublished(app.database);
    };

    beforeAll(async () => {
      for (const key of ['plain', 'other']) {
        await app.graphql(
          `mutation { tierCreate(input: { key: "${key}", name: "Tier" }) { userErrors { code } } }`,
        );
        await publishNow(key, 10);
      }
      for (const key of ['solo', 'early']) {
        await app.graphql(
          `mutation { tenantCreate(input: { key: "${key}", name: "T", tierKey: "plain" }) { userErrors { code } } }`,
        );
      }
      await policyPublished(app.database);
      const target = { api: 'shop', operation: 'buy', limit: 'per-minute' };
      await recordQuickRequests(app, { ...target, tenantKey: 'early', minutesAgo: 40 });
      for (const minutesAgo of [10, 2])
        await recordQuickRequests(app, { ...target, tenantKey: 'solo', minutesAgo });
    });

    it('counts its first minute if the recording began before', async () => {
      expect((await simulate(draft)).result).toMatchObject({ covered: 18, newlyDenied: 16, notWarm: [] });
    });

    it('replays each decision by its policy, however often another tier was published since', async () => {
      await publishNow('plain', 4);
      for (let n = 0; n < 40; n++) await publishNow('other', 11 + (n % 2));
      expect((await simulate(draft)).result).toMatchObject({
        covered: 18,
        calibration: { compared: 18, mismatches: 0 },
        uncovered: [],
      });
    });
  });
});
