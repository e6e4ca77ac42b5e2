import { eventually } from '@tollgate/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { JobsRunner } from '../../src/platform/jobs/jobs-runner.js';
import { type MeteredApp, NOW } from '../support/metered-app.js';
import { PUBLISH, SAVE_DRAFT } from '../support/policy-factory.js';
import { signInMember } from '../support/sign-in-member.js';
import { usageRow } from '../support/usage-frames.js';

/** Where tenants stand in their periods, and who will not get by. */
export function describeOutlook(metered: MeteredApp): void {
  describe('usageSummary', () => {
    it('returns usage of the current period', async () => {
      const { data, errors } = await metered.app.graphql(`{ usageSummary(tenantKey: "other") {
        tenantKey periodStart periodEnd total { count denied units } peakDay { at count } peakMinute { at count } } }`);
      expect(errors).toEqual([]);
      expect(data.usageSummary).toMatchObject({
        tenantKey: 'other',
        total: { count: 100, denied: 0, units: 100 },
        peakDay: { count: 100 },
        peakMinute: { at: new Date(NOW * 60_000).toISOString(), count: 100 },
      });
      const nobody = await metered.app.graphql('{ usageSummary(tenantKey: "nobody") { tenantKey } }');
      expect(nobody.data).toEqual({ usageSummary: null });
      const member = await signInMember(metered.app, 'acme', 'OWNER');
      const foreign = await metered.app.graphql(
        '{ usageSummary(tenantKey: "other") { tenantKey } }',
        {},
        member,
      );
      expect(foreign.errors[0]?.extensions.code).toBe('NOT_FOUND');
    });
  });

  describe('tenantUtilization', () => {
    const BOARD = `query($first: Int, $after: String, $orderBy: UtilizationOrder, $descending: Boolean, $search: String,
        $tier: String, $status: TenantStatus, $minPercent: Int, $denied: Boolean) {
      tenantUtilization(first: $first, after: $after, orderBy: $orderBy, descending: $descending, search: $search,
        tier: $tier, status: $status, minPercent: $minPercent, denied: $denied) {
        totalCount pageInfo { endCursor hasNextPage }
        nodes { percent requests denied exhaustsAt computedAt requestsByHour deniedByHour
          tenant { key status subscription { tier { key name } } }
          limits { apiKey limitName limit windowMs period used capacity percent denied limitedSince resetsAt exhaustsAt } }
      }
    }`;
    type Node = { tenant: { key: string }; percent: number; denied: number; requests: number };
    const board = async (variables: Record<string, unknown> = {}) => {
      const { data, errors } = await metered.app.graphql(BOARD, variables);
      expect(errors).toEqual([]);
      return data.tenantUtilization as {
        totalCount: number;
        nodes: Node[];
        pageInfo: { endCursor: string; hasNextPage: boolean };
      };
    };
    const keysOf = ({ nodes }: { nodes: Node[] }) => nodes.map(({ tenant }) => tenant.key);
    /** A tenant that was computed a moment ago is computed again after a pause, and a run may have begun before. */
    const computed = (search: string, percent: number) =>
      eventually(async () => {
        await metered.app.app.get(JobsRunner, { strict: false }).run('utilization');
        const { nodes } = await board({ search });
        return nodes.length === 1 && nodes[0]?.percent === percent;
      });

    beforeAll(async () => {
      await metered.app.graphql(
        `mutation { tierCreate(input: { key: "small", name: "Small" }) { tier { id } } }`,
      );
      const monthly = { name: 'monthly', apiKey: 'shop', algorithm: 'QUOTA', period: 'MONTH', limit: 100 };
      const minute = {
        name: 'minute',
        apiKey: 'shop',
        algorithm: 'FIXED_WINDOW',
        windowMs: 60_000,
        limit: 50,
      };
      const save = await metered.app.graphql(SAVE_DRAFT, {
        input: { tierKey: 'small', expectedVersion: 1, limits: [monthly, minute] },
      });
      expect(save.data.tierDraftSave.userErrors).toEqual([]);
      await metered.app.graphql(PUBLISH, { input: { tierKey: 'small', expectedVersion: 2 } });
      for (const key of ['fast', 'soon', 'calm', 'idle'])
        await metered.app.graphql(
          `mutation { tenantCreate(input: { key: "${key}", name: "${key}", tierKey: "small" }) { changeId } }`,
        );
      const now = new Date();
      const periodEndMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
      const row = { api: 'shop', capacity: 100, denied: 0, atMs: now.getTime() };
      await metered.report(
        [
          usageRow({ tenant: 'fast', minute: NOW, count: 60, units: 60, limit: 'monthly' }),
          usageRow({ tenant: 'fast', minute: NOW, count: 4, units: 4, limit: 'minute', outcome: 'denied' }),
          usageRow({ tenant: 'soon', minute: NOW, count: 90, units: 90, limit: 'monthly' }),
          usageRow({ tenant: 'calm', minute: NOW, count: 1, units: 1, limit: 'monthly' }),
        ],
        {
          peaks: [
            { ...row, tenant: 'fast', limit: 'monthly', used: 60, periodEndMs },
            { ...row, tenant: 'fast', limit: 'minute', used: 48, capacity: 50, denied: 4 },
            { ...row, tenant: 'soon', limit: 'monthly', used: 90, periodEndMs },
            { ...row, tenant: 'soon', limit: 'minute', used: 30, capacity: 50 },
            { ...row, tenant: 'calm', limit: 'monthly', used: 1, periodEndMs },
          ],
        },
      );
      await Promise.all([computed('fast', 100), computed('soon', 90), computed('calm', 1)]);
    });

    it('ranks tenants by their tightest limit, after the first report', async () => {
      const { nodes } = await board({ tier: 'small' });
      expect(nodes).toMatchObject([
        {
          tenant: { key: 'fast', status: 'ACTIVE', subscription: { tier: { key: 'small' } } },
          percent: 100,
          requests: 64,
          denied: 4,
          limits: [
            {
              limitName: 'minute',
              limit: 50,
              windowMs: 60_000,
              percent: 100,
              used: 48,
              capacity: 50,
              denied: 4,
            },
            { limitName: 'monthly', period: 'MONTH', percent: 60, used: 60, windowMs: null },
          ],
        },
        {
          tenant: { key: 'soon' },
          percent: 90,
          denied: 0,
          exhaustsAt: expect.any(String),
        },
        { tenant: { key: 'calm' }, percent: 1 },
        { tenant: { key: 'idle' }, percent: 0, requests: 0, limits: [] },
      ]);
    });

    it.each<[string, Record<string, unknown>, string[]]>([
      ['utilization', { minPercent: 80 }, ['fast', 'soon']],
      ['denials', { denied: true }, ['fast']],
      ['name', { search: 'AL', orderBy: 'NAME' }, ['calm']],
      ['status', { status: 'SUSPENDED' }, []],
    ])('filters by %s', async (_, filter, keys) => {
      const found = await board({ tier: 'small', ...filter });
      expect(keysOf(found)).toEqual(keys);
      expect(found.totalCount).toBe(keys.length);
    });

    it.each(['UTILIZATION', 'DENIED', 'REQUESTS', 'EXHAUSTION', 'NAME', 'TIER', 'STATUS'])(
      'pages through every tenant once, by %s in both directions',
      async (orderBy) => {
        const all: string[][] = [];
        for (const descending of [true, false]) {
          const keys: string[] = [];
          for (let after: string | null = null; ; ) {
            const page: Awaited<ReturnType<typeof board>> = await board({
              first: 2,
              after,
              orderBy,
              descending,
            });
            keys.push(...keysOf(page));
            if (!page.pageInfo.hasNextPage) break;
            after = page.pageInfo.endCursor;
          }
          all.push(keys);
        }
        expect(all[0]).toEqual(all[1]?.toReversed());
        expect(new Set(all[0])).toHaveLength((await board()).totalCount);
      },
    );

    it('is computed again after a change of the tenant', async () => {
      const { data } = await metered.app.graphql('{ tenant(key: "soon") { version } }');
      const boost = await metered.app.graphql(
        'mutation($input: BoostStartInput!) { boostStart(input: $input) { userErrors { message } } }',
        {
          input: {
            tenantKey: 'soon',
            apiKey: 'shop',
            limit: 'monthly',
            expectedVersion: data.tenant.version,
            effect: { kind: 'MULTIPLY', percent: 200 },
            endsAt: new Date(Date.now() + 3_600_000).toISOString(),
            reason: 'More for a day',
          },
        },
      );
      expect(boost.data.boostStart.userErrors).toEqual([]);
      await computed('soon', 60);
    });

    it('returns all limits of one tenant, and the last day of one limit', async () => {
      const { data, errors } = await metered.app.graphql(`{
        limitUtilization(tenantKey: "fast") { limitName percent used capacity denied resetsAt }
        limitPeaks(tenantKey: "fast", apiKey: "shop", limitName: "minute") { at used capacity denied }
      }`);
      expect(errors).toEqual([]);
      expect(data.limitUtilization).toMatchObject([
        { limitName: 'minute', percent: 100, used: 48 },
        { limitName: 'monthly', resetsAt: expect.any(String) },
      ]);
      expect(data.limitPeaks).toMatchObject([{ used: 48, capacity: 50, denied: 4 }]);
    });

    it.each([{ minPercent: 101 }, { first: 0 }, { after: 'x' }, { tier: '?' }])(
      'rejects %j',
      async (variables) => {
        expect((await metered.app.graphql(BOARD, variables)).errors[0]?.extensions.code).toBe(
          'BAD_USER_INPUT',
        );
      },
    );

    it('is visible to operators only', async () => {
      const member = await signInMember(metered.app, 'acme', 'OWNER');
      expect((await metered.app.graphql(BOARD, {}, member)).errors[0]?.extensions.code).toBe('FORBIDDEN');
    });
  });
}
