import { describe, expect, test } from 'vitest';
import { openPage, respond } from '../../../test/open-page.js';
import { LiveExampleDocument, TrafficDocument } from '../../generated/graphql.js';

const NOTHING = { count: 0, denied: 0, degraded: 0, units: 0 };
const TENANTS = { nodes: [{ key: 'acme' }] };
const APIS = { nodes: [{ key: 'shop', operations: [{ name: 'buy' }] }] };

const openHome = (tenants: typeof TENANTS, apis: typeof APIS) =>
  openPage(
    '/',
    respond(TrafficDocument, {
      traffic: {
        ...{
          from: '2026-11-01T00:00:00Z',
          to: '2026-11-02T00:00:00Z',
          stepMs: 60_000,
          p50Ms: null,
          p99Ms: null,
        },
        ...{ total: NOTHING, points: [], previousTotal: NOTHING, previousPoints: [], publications: [] },
      },
    }),
    respond(LiveExampleDocument, { tenants, apis }),
  );

describe('Home without traffic', () => {
  test('shows a first request for what exists', async () => {
    const { page } = openHome(TENANTS, APIS);
    await page.findByText(/"tenant":"acme","api":"shop","operation":"buy"/);
  });

  const noTenants = { nodes: [] };
  test.each([
    ['nothing', noTenants, { nodes: [] }, ['Add an API', 'Add a tenant']],
    ['a tenant', TENANTS, { nodes: [] }, ['Add an API']],
    [
      'an API without operations',
      TENANTS,
      { nodes: [{ key: 'shop', operations: [] }] },
      ['Add an operation'],
    ],
    ['an API', noTenants, APIS, ['Add a tenant']],
  ])('leads to what a first request needs if there is %s', async (_there, tenants, apis, links) => {
    const { page } = openHome(tenants, apis);
    for (const name of links) await page.findByRole('link', { name });
    expect(page.queryByText(/curl/)).toBeNull();
  });
});
