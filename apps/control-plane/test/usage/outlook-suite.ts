import { describe, expect, it } from 'vitest';
import { type MeteredApp, NOW } from '../support/metered-app.js';
import { PUBLISH, SAVE_DRAFT } from '../support/policy-factory.js';
import { signInMember } from '../support/sign-in-member.js';
import { usageRow } from '../support/usage-frames.js';

/** Where tenants stand in their periods, and who will not get by. */
export function describeOutlook(metered: MeteredApp): void {
  describe('usageSummary', () => {
    it('returns usage of the current period', async () => {
      const { data, errors } = await metered.app.graphql(`{ usageSummary(tenantKey: "other") {
        tenantKey periodStart periodEnd total { count denied units } peakDay { at count } peakMinute { at count }
        quotas { limitName }
      } }`);
      expect(errors).toEqual([]);
      expect(data.usageSummary).toMatchObject({
        tenantKey: 'other',
        total: { count: 100, denied: 0, units: 100 },
        peakDay: { count: 100 },
        peakMinute: { at: new Date(NOW * 60_000).toISOString(), count: 100 },
        quotas: [],
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

  describe('runningOut', () => {
    const ASK = `query($hours: Int, $first: Int) { runningOut(hours: $hours, first: $first) {
      tenantKey tenantName timeZone quota { apiKey limitName used limit unitsPerHour runsOutAt isLive } } }`;

    it('lists quotas that run out within a day at the current rate, soonest first', async () => {
      await metered.app.graphql(
        `mutation { tierCreate(input: { key: "small", name: "Small" }) { tier { id } } }`,
      );
      const monthly = {
        name: 'monthly',
        apiKey: 'shop',
        algorithm: 'QUOTA',
        period: 'MONTH',
        limit: 100,
      };
      const save = await metered.app.graphql(SAVE_DRAFT, {
        input: { tierKey: 'small', expectedVersion: 1, limits: [monthly] },
      });
      expect(save.data.tierDraftSave.userErrors).toEqual([]);
      await metered.app.graphql(PUBLISH, { input: { tierKey: 'small', expectedVersion: 2 } });
      for (const key of ['fast', 'soon', 'calm'])
        await metered.app.graphql(
          `mutation { tenantCreate(input: { key: "${key}", name: "${key}", tierKey: "small" }) { changeId } }`,
        );
      await metered.report(
        [
          ['fast', 240],
          ['soon', 120],
          ['calm', 10],
        ].map(([tenant, units]) =>
          usageRow({ tenant: `${tenant}`, minute: NOW, count: Number(units), units: Number(units) }),
        ),
      );
      const { data, errors } = await metered.app.graphql(ASK, { hours: 24 });
      expect(errors).toEqual([]);
      expect(data.runningOut.map(({ tenantKey }: { tenantKey: string }) => tenantKey)).toEqual([
        'fast',
        'soon',
      ]);
      expect(data.runningOut[1]).toMatchObject({
        tenantName: 'soon',
        quota: { apiKey: 'shop', limitName: 'monthly', used: 0, limit: 100, unitsPerHour: 5, isLive: true },
      });
      const soon = await metered.app.graphql(ASK, { hours: 12 });
      expect(soon.data.runningOut).toMatchObject([{ tenantKey: 'fast' }]);
      expect((await metered.app.graphql(ASK, { first: 1 })).data.runningOut).toHaveLength(1);
    });

    it.each([{ hours: 0 }, { hours: 25 }, { first: 0 }, { first: 51 }])('rejects %j', async (variables) => {
      expect((await metered.app.graphql(ASK, variables)).errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    });

    it('is visible to operators only', async () => {
      const member = await signInMember(metered.app, 'acme', 'OWNER');
      expect((await metered.app.graphql(ASK, {}, member)).errors[0]?.extensions.code).toBe('FORBIDDEN');
    });
  });
}
