import { describe, expect, it } from 'vitest';
import type { BulkApp } from '../support/bulk-app.js';

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

    it.each([
      [{ kind: 'SUSPEND' }, 'INVALID', ['tenantKeys']],
      [{ kind: 'SUSPEND', tenantKeys: [] }, 'INVALID', ['tenantKeys']],
      [{ kind: 'SUSPEND', tenantKeys: ['acme'], filter: {} }, 'INVALID', ['tenantKeys']],
      [{ kind: 'SUSPEND', tenantKeys: ['acme'], reason: ' ' }, 'INVALID', ['reason']],
      [{ kind: 'SUSPEND', tenantKeys: ['acme', 'nobody'] }, 'NOT_FOUND', ['tenantKeys']],
      [{ kind: 'SUSPEND', filter: { search: 'zzz' } }, 'INVALID', ['filter']],
      [{ kind: 'SUSPEND', filter: { expectedCount: 1 } }, 'CONFLICT', ['filter', 'expectedCount']],
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
