import { within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { openPage, respond } from '../../../test/open-page.js';
import {
  SavedViewSetDocument,
  SavedViewsDocument,
  TenantBoardCountDocument,
  TenantBoardDocument,
  type TenantBoardQuery,
} from '../../generated/graphql.js';
import { RequestError } from '../../lib/graphql-request.js';

type BoardTenant = TenantBoardQuery['tenantUtilization']['nodes'][number];

const tenant = (name: string): BoardTenant => ({
  ...{ percent: 0, requests: 0, denied: 0, exhaustsAt: null, requestsByHour: [], deniedByHour: [] },
  ...{ tightest: null, exhausting: null },
  tenant: {
    ...{ id: `ten_${name}`, key: name.toLowerCase(), name, status: 'ACTIVE' },
    subscription: {
      pinned: false,
      tier: { id: 'tir_1', key: 'basic', name: 'Basic' },
      tierVersion: { id: 'ver_1', number: 1 },
    },
  },
});

const ALL = ['Acme', 'Bolt', 'Brick'].map(tenant);

/** Answers as the server does: filters by name and sorts by it in both directions. */
const found = (search: string | null | undefined) =>
  ALL.filter((one) => one.tenant.name.toLowerCase().includes(search ?? ''));

const SERVER = [
  respond(SavedViewsDocument, { savedViews: [] }),
  respond(TenantBoardCountDocument, ({ search }) => ({
    tenantUtilization: { totalCount: found(search).length },
  })),
  respond(TenantBoardDocument, ({ search, descending }) => {
    const nodes = descending ? found(search).toReversed() : found(search);
    return { tenantUtilization: { pageInfo: { endCursor: null, hasNextPage: false }, nodes } };
  }),
];

type Opened = ReturnType<typeof openPage>;

const board = async ({ page }: Opened) =>
  within(await page.findByRole('table', { name: 'Tenants by utilization' }));
const names = async (opened: Opened) =>
  (await board(opened)).getAllByRole('rowheader').map((cell) => cell.querySelector('a')?.textContent);

describe('table of tenants', () => {
  test('says when there are none', async () => {
    const none = respond(TenantBoardCountDocument, { tenantUtilization: { totalCount: 0 } });
    const { page } = openPage('/tenants', ...SERVER, none);
    await page.findByRole('heading', { name: 'No tenants yet' });
    page.getByRole('button', { name: 'Create tenant' });
  });

  test('offers to clear filters that match nothing', async () => {
    const { page, user, router } = openPage('/tenants?search=zzz&sort=name', ...SERVER);
    await page.findByRole('heading', { name: 'No matching tenants' });
    const [clear] = page.getAllByRole('button', { name: 'Clear filters' });
    if (clear) await user.click(clear);
    await page.findByRole('table');
    expect(router.state.location.search).not.toHaveProperty('search');
  });

  test('says when it could not be loaded', async () => {
    const failure = respond(TenantBoardCountDocument, () => {
      throw new RequestError('FORBIDDEN', 'no');
    });
    const { page } = openPage('/tenants', ...SERVER, failure);
    await page.findByRole('heading', { name: 'Your role cannot see this' });
  });

  test('sorts by a column, then in reverse, and keeps the order in the address', async () => {
    const opened = openPage('/tenants', ...SERVER);
    const { user, router, sent } = opened;
    const column = () => board(opened).then((table) => table.getByRole('columnheader', { name: 'Tenant' }));
    expect((await column()).getAttribute('aria-sort')).toBe('none');
    await user.click(within(await column()).getByRole('button'));
    await expect.poll(() => router.state.location.search).toEqual({ sort: 'name' });
    await expect.poll(async () => (await column()).getAttribute('aria-sort')).toBe('ascending');
    expect(await names(opened)).toEqual(['Acme', 'Bolt', 'Brick']);
    await user.click(within(await column()).getByRole('button'));
    await expect.poll(() => router.state.location.search).toEqual({ sort: 'name', reverse: true });
    await expect.poll(() => names(opened)).toEqual(['Brick', 'Bolt', 'Acme']);
    expect(sent(TenantBoardDocument).at(-1)).toMatchObject({ orderBy: 'NAME', descending: true, first: 50 });
  });

  test('opens with filter and order of the address', async () => {
    const opened = openPage('/tenants?search=b&sort=name&reverse=true', ...SERVER);
    expect(await names(opened)).toEqual(['Brick', 'Bolt']);
    expect(opened.page.getByRole('searchbox', { name: 'Search tenants' })).toHaveProperty('value', 'b');
  });

  test('filters while typing and saves the view', async () => {
    const opened = openPage('/tenants', ...SERVER);
    const { page, user, answerWith, sent } = opened;
    await user.type(await page.findByRole('searchbox', { name: 'Search tenants' }), 'b');
    await expect.poll(() => names(opened)).toHaveLength(2);
    await user.click(page.getByRole('button', { name: 'Save view' }));
    const form = within(await page.findByRole('dialog', { name: 'Save view' }));
    await user.type(form.getByRole('textbox', { name: /^Name/ }), 'Builders');
    const saved = { id: 'viw_1', name: 'Builders', search: 'search=b' };
    answerWith(
      respond(SavedViewSetDocument, { savedViewSet: { views: [saved], userErrors: [] } }),
      respond(SavedViewsDocument, { savedViews: [saved] }),
    );
    await user.click(form.getByRole('button', { name: 'Save view' }));
    const views = within(page.getByRole('navigation', { name: 'Views' }));
    const link = await views.findByRole('link', { name: /^Builders/ });
    expect(sent(SavedViewSetDocument)).toEqual([
      { input: { list: 'tenants', name: 'Builders', search: 'search=b' } },
    ]);
    await user.click(views.getByRole('link', { name: /^All/ }));
    await expect.poll(() => names(opened)).toHaveLength(3);
    await user.click(link);
    await expect.poll(() => names(opened)).toHaveLength(2);
    page.getByRole('button', { name: 'Remove view' });
  });

  test('moves between rows, selects and opens them by key', async () => {
    const opened = openPage('/tenants?sort=name', ...SERVER);
    const { page, user, router } = opened;
    const row = async (index: number) => (await board(opened)).getAllByRole('row')[index + 1];
    (await row(0))?.focus();
    await user.keyboard('j');
    await expect.poll(() => document.activeElement?.getAttribute('data-index')).toBe('1');
    await user.keyboard('x');
    page.getByText('1 selected');
    await user.click(page.getByRole('button', { name: 'Select all 3 matching' }));
    page.getByText('3 selected');
    await user.click(page.getByRole('button', { name: 'Clear selection' }));
    (await row(1))?.focus();
    await user.keyboard('k');
    await expect.poll(() => document.activeElement?.getAttribute('data-index')).toBe('0');
    await user.keyboard('{Enter}');
    await expect.poll(() => router.state.location.pathname).toBe('/tenants/acme');
  });
});
