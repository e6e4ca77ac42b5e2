import { within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { openPage, pageOf, respond } from '../../../test/open-page.js';
import { AuditEntriesDocument, type AuditEntriesQuery } from '../../generated/graphql.js';

type Entry = AuditEntriesQuery['auditEntries']['nodes'][number];

const entry = (sequence: number, part: Partial<Entry> = {}): Entry => ({
  ...{ id: `aud_${sequence}`, at: '2026-11-01T08:00:00Z', actor: 'ada@example.com', actorKind: 'USER' },
  ...{ action: 'tenant.suspend', entity: 'tenant', entityId: 'ten_1', entityName: 'Acme', entityKey: 'acme' },
  ...{ revertedName: null, tenantKey: 'acme', before: null, after: null, reason: null, requestId: null },
  ...{
    changeId: `chg_${sequence}`,
    address: null,
    userAgent: null,
    chain: 'installation',
    sequence,
    hash: 'ab',
  },
  ...part,
});

const rowsOf = async ({ page }: ReturnType<typeof openPage>) =>
  within(await page.findByRole('table', { name: 'Audit trail' }))
    .getAllByRole('row')
    .slice(1);

describe('table of the audit trail', () => {
  test('loads older entries on demand until the last page', async () => {
    const opened = openPage(
      '/audit',
      respond(AuditEntriesDocument, ({ after }) => ({
        auditEntries: {
          totalCount: 3,
          pageInfo: { hasNextPage: !after, endCursor: after ? null : 'cur_2' },
          nodes: after ? [entry(1)] : [entry(3), entry(2)],
        },
      })),
    );
    const { page, user, sent } = opened;
    expect(await rowsOf(opened)).toHaveLength(2);
    page.getByText('3 entries');
    await user.click(page.getByRole('button', { name: 'Show older' }));
    await expect.poll(() => rowsOf(opened)).toHaveLength(3);
    expect(page.queryByRole('button', { name: 'Show older' })).toBeNull();
    expect(sent(AuditEntriesDocument).map(({ after }) => after ?? null)).toEqual([null, 'cur_2']);
  });

  test('filters by what is typed, and says when nothing matches', async () => {
    const { page, user, router, sent } = openPage(
      '/audit',
      respond(AuditEntriesDocument, ({ tenant }) => ({
        auditEntries: tenant ? pageOf<Entry>() : pageOf(entry(1)),
      })),
    );
    await user.type(await page.findByRole('textbox', { name: 'Tenant key' }), ' globex ');
    await page.findByRole('heading', { name: 'No matching entries' });
    expect(router.state.location.search).toEqual({ tenant: 'globex' });
    expect(sent(AuditEntriesDocument).at(-1)).toMatchObject({ tenant: 'globex', first: 20 });
    await user.click(page.getByRole('button', { name: 'Clear filters' }));
    await page.findByRole('table', { name: 'Audit trail' });
  });

  test('shows a long reason in full in the details', async () => {
    const reason = 'too loud '.repeat(200).trim();
    const opened = openPage(
      '/audit',
      respond(AuditEntriesDocument, { auditEntries: pageOf(entry(1, { reason })) }),
    );
    const { page, user } = opened;
    const [row] = await rowsOf(opened);
    expect(row?.textContent).toContain(`“${reason}”`);
    await user.click(page.getByRole('button', { name: 'Details' }));
    const details = within(await page.findByRole('dialog'));
    details.getByText(reason);
    details.getByText('chg_1');
  });
});
