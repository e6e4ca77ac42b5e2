import { describe, expect, it } from 'vitest';
import type { BulkApp } from '../support/bulk-app.js';

const BOARD_COUNT = `query($search: String, $minPercent: Int, $denied: Boolean) {
  tenantUtilization(first: 1, search: $search, minPercent: $minPercent, denied: $denied) { totalCount }
}`;

/** Permissions and inputs of `bulkActionStart`. */
export function describeStart(bulk: BulkApp): void {
  const { start } = bulk;

  describe('the start of a bulk action', () => {
    it('requires the permission of the single-tenant mutation', async () => {
      const support = await bulk.app.signIn('SUPPORT');
      const move = { kind: 'TIER_CHANGE', tierKey: 'plus', tenantKeys: ['bulk-1'] };
      await expect(start(move, support)).rejects.toThrow('FORBIDDEN');
      await expect(start(move, await bulk.app.signIn('VIEWER'))).rejects.toThrow('FORBIDDEN');
      expect((await start({ ...move, dryRun: true }, await bulk.app.signIn('BILLING'))).userErrors).toEqual(
        [],
      );
    });

    it('takes the tenants of the board with the same filter', async () => {
      const { database } = bulk.app;
      const tenant = await database.tenant.findUniqueOrThrow({ where: { key: 'bulk-2' } });
      const usage = { percent: 90, denied: 3n };
      await database.tenantUtilization.update({ where: { tenantId: tenant.id }, data: usage });
      const filter = { search: 'bulk-', minPercent: 90, denied: true };
      const { data } = await bulk.app.graphql(BOARD_COUNT, filter);
      expect(data.tenantUtilization.totalCount).toBe(1);
      expect((await start({ kind: 'SUSPEND', filter, dryRun: true })).tenants).toBe(1);
      const fuller = await start({ kind: 'SUSPEND', filter: { ...filter, minPercent: 91 }, dryRun: true });
      expect(fuller.userErrors).toMatchObject([{ code: 'INVALID', message: 'No tenant matches.' }]);
    });

    it.each([
      [{ kind: 'SUSPEND' }, 'INVALID', ['tenantKeys']],
      [{ kind: 'SUSPEND', tenantKeys: [] }, 'INVALID', ['tenantKeys']],
      [{ kind: 'SUSPEND', tenantKeys: ['acme'], filter: {} }, 'INVALID', ['tenantKeys']],
      [{ kind: 'SUSPEND', tenantKeys: ['acme'], reason: ' ' }, 'INVALID', ['reason']],
      [{ kind: 'SUSPEND', tenantKeys: ['acme', 'nobody'] }, 'NOT_FOUND', ['tenantKeys']],
      [{ kind: 'SUSPEND', filter: { search: 'zzz' } }, 'INVALID', ['filter']],
      [{ kind: 'SUSPEND', filter: { expectedCount: 1 } }, 'CONFLICT', ['filter', 'expectedCount']],
      [{ kind: 'SUSPEND', filter: { minPercent: 101 } }, 'INVALID', ['filter', 'minPercent']],
      [{ kind: 'SUSPEND', filter: { status: 'ARCHIVED' } }, 'INVALID', ['filter', 'status']],
      [{ kind: 'TIER_CHANGE', tenantKeys: ['acme'] }, 'INVALID', ['tierKey']],
      [{ kind: 'BOOST', tenantKeys: ['acme'] }, 'INVALID', ['adjustment']],
      [
        { kind: 'OVERRIDE', tenantKeys: ['acme'], adjustment: { effect: { kind: 'SET', limit: 1 } } },
        'INVALID',
        ['adjustment', 'limit'],
      ],
      [{ kind: 'UNDO', tenantKeys: ['acme'] }, 'INVALID', ['kind']],
    ])('is rejected as a whole: %j', async (input, code, field) => {
      expect((await start(input)).userErrors[0]).toMatchObject({ code, field });
    });
  });
}
