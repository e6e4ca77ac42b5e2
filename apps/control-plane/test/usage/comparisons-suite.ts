import { describe, expect, it } from 'vitest';
import { HOUR, HOUR_MS, type MeteredApp } from '../support/metered-app.js';
import { signInMember } from '../support/sign-in-member.js';

/** Rankings of usage and denials, and crossed thresholds. */
export function describeComparisons(metered: MeteredApp): void {
  describe('usageTop and limitOffenders', () => {
    const TOP = `query($from: DateTime!, $orderBy: UsageOrder, $first: Int, $apiKey: String) {
      usageTop(from: $from, orderBy: $orderBy, first: $first, apiKey: $apiKey) { tenantKey tenantName count denied units }
    }`;

    it('compare tenants by hours and days', async () => {
      const top = async (variables: object) =>
        (await metered.app.graphql(TOP, { from: HOUR, ...variables })).data.usageTop;
      expect(await top({})).toEqual([
        { tenantKey: 'other', tenantName: 'Other', count: 100, denied: 0, units: 100 },
        { tenantKey: 'acme', tenantName: 'Acme', count: 12, denied: 3, units: 84 },
      ]);
      expect(await top({ orderBy: 'DENIED' })).toMatchObject([{ tenantKey: 'acme' }]);
      expect(await top({ apiKey: 'unknown' })).toMatchObject([{ tenantKey: 'acme', count: 1 }]);
      expect(await top({ from: new Date(HOUR.getTime() - 30 * 24 * HOUR_MS), first: 1 })).toMatchObject([
        { count: 100 },
      ]);
      const { errors } = await metered.app.graphql(TOP, {
        from: new Date(HOUR.getTime() - 93 * 24 * HOUR_MS),
      });
      expect(errors[0]?.message).toMatch(/limited to 92 days/);
      expect((await metered.app.graphql(TOP, { from: HOUR, first: 101 })).errors[0]?.message).toMatch(
        /first must be 1 to 100/,
      );
    });

    it('list the counters with most denials; a tenant sees only its own', async () => {
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
      await metered.report([], { offenders });
      const query = `query($tenantKey: String, $from: DateTime!) {
        limitOffenders(tenantKey: $tenantKey, from: $from) { tenantKey apiKey limitName counter units error lastHour }
      }`;
      const list = async (tenantKey: string | undefined, headers?: Record<string, string>) =>
        metered.app.graphql(query, { from: HOUR, tenantKey }, headers);
      const all = (await list(undefined)).data.limitOffenders;
      expect(all.map(({ counter }: { counter: string }) => counter)).toEqual([
        '{acme}=u2',
        '{other}',
        '{acme}=u1',
      ]);
      const member = await signInMember(metered.app, 'acme', 'VIEWER');
      expect((await list('acme', member)).data.limitOffenders).toMatchObject([
        { tenantKey: 'acme', apiKey: 'shop', limitName: 'per-user', units: 9, error: 1 },
        { units: 5 },
      ]);
      expect((await list(undefined, member)).errors[0]?.extensions.code).toBe('FORBIDDEN');
      expect((await list('other', member)).errors[0]?.extensions.code).toBe('NOT_FOUND');
    });
  });

  describe('limitCrossings', () => {
    it('are listed newest first, in pages', async () => {
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
      await metered.report([], { crossings: [1, 2, 3].map((n) => crossing(`c${n}`, HOUR.getTime() + n)) });
      const query = `query($after: String) { limitCrossings(tenantKey: "acme", first: 2, after: $after) {
        totalCount pageInfo { hasNextPage endCursor } nodes { id apiKey limitName counter percent used capacity at }
      } }`;
      const first = (await metered.app.graphql(query)).data.limitCrossings;
      expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
      const second = (await metered.app.graphql(query, { after: first.pageInfo.endCursor })).data
        .limitCrossings;
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
      const member = await signInMember(metered.app, 'other', 'OWNER');
      expect((await metered.app.graphql(query, {}, member)).errors[0]?.extensions.code).toBe('NOT_FOUND');
    });
  });
}
