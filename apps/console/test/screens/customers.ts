import type { Page } from 'playwright-core';
import { heading, openForm, type Screen } from './screen.ts';

/** Whose limits these are, and why. */
export const CUSTOMERS_SCREENS: readonly Screen[] = [
  { name: 'tenants', path: () => '/tenants', arrive: (page) => page.getByRole('table').waitFor() },
  { name: 'tenants-none', path: () => '/tenants?search=zzz', arrive: heading('No matching tenants') },
  { name: 'tenants-bulk', path: () => '/tenants', arrive: openBulk },
  { name: 'tenant-create', path: () => '/tenants', arrive: openForm('Create tenant', 'Name') },
  { name: 'tenant-unknown', path: () => '/tenants/nobody', arrive: heading('No such tenant') },
  {
    name: 'tenant',
    path: ({ demo }) => `/tenants/${demo.tenant}`,
    arrive: heading('Effective limits'),
  },
  { name: 'tenant-ladder', path: () => '/tenants/umbrella', arrive: openLadder },
  {
    name: 'tenant-usage',
    path: ({ demo }) => `/tenants/${demo.tenant}/usage?range=7d`,
    arrive: heading('Usage'),
  },
  {
    name: 'tenant-usage-operations',
    path: ({ demo }) => `/tenants/${demo.tenant}/usage?range=30d&by=operation`,
    arrive: heading('Usage'),
  },
  { name: 'tenant-purchases', path: () => '/tenants/umbrella/purchases', arrive: heading('Entitlements') },
  {
    name: 'tenant-exceptions',
    path: ({ demo }) => `/tenants/${demo.tenant}/exceptions`,
    arrive: heading('Overrides and boosts'),
  },
  {
    name: 'tenant-edit',
    path: ({ demo }) => `/tenants/${demo.tenant}?do=edit`,
    arrive: (page) => page.getByRole('dialog').getByLabel('Name').waitFor(),
  },
  {
    name: 'tenant-tier-change',
    path: ({ demo }) => `/tenants/${demo.tenant}`,
    arrive: openForm('Change tier', 'New tier'),
  },
  {
    name: 'tenant-grant',
    path: () => '/tenants/umbrella/purchases',
    arrive: openForm('Grant entitlement', 'Reason'),
  },
  { name: 'tenant-boost', path: ({ demo }) => `/tenants/${demo.tenant}/exceptions`, arrive: openBoost },
  {
    name: 'tenant-rule',
    path: ({ demo }) => `/tenants/${demo.tenant}/exceptions`,
    arrive: openForm('Add rule', 'Pattern'),
  },
  { name: 'tenant-keys', path: ({ demo }) => `/tenants/${demo.tenant}/keys`, arrive: heading(/^Keys of/) },
  {
    name: 'tenant-key-create',
    path: ({ demo }) => `/tenants/${demo.tenant}/keys`,
    arrive: openForm('Create key', 'Name'),
  },
  {
    name: 'tenant-people',
    path: ({ demo }) => `/tenants/${demo.tenant}/people`,
    arrive: heading('Invitations'),
  },
  {
    name: 'tenant-alerts',
    path: ({ demo }) => `/tenants/${demo.tenant}/alerts`,
    arrive: heading('Limit alerts'),
  },
  {
    name: 'tenant-activity',
    path: ({ demo }) => `/tenants/${demo.tenant}/activity`,
    arrive: heading('Activity'),
  },
  { name: 'why', path: () => '/why', arrive: heading('Why was a request allowed or denied') },
  {
    name: 'why-tenant',
    path: ({ demo }) => `/why?q=${demo.tenant}`,
    arrive: heading('Recently denied requests'),
  },
  { name: 'why-decision', path: ({ demo }) => `/why?q=${demo.tenant}`, arrive: openDecision },
  { name: 'why-unknown', path: () => '/why?q=req_nothing', arrive: heading(/^No match/) },
];

async function openDecision(page: Page): Promise<void> {
  await page.getByRole('table').first().getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Checked limits' }).waitFor();
}

async function openBulk(page: Page): Promise<void> {
  await page.getByLabel('Select Acme').check();
  await page.getByRole('button', { name: 'Bulk actions' }).click();
  await page.getByRole('dialog').getByLabel('Reason').waitFor();
}

async function openLadder(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /how .* was calculated/ })
    .first()
    .click();
  await page
    .getByRole('button', { name: /^Override/ })
    .first()
    .waitFor();
}

async function openBoost(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Boost', exact: true }).first().click();
  await page.getByRole('dialog').getByRole('heading', { name: 'Effect' }).waitFor();
}
