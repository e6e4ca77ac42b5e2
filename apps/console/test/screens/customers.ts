import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name }).first().waitFor();

/** Whose limits these are, and why. */
export const CUSTOMERS_SCREENS: readonly Screen[] = [
  { name: 'tenants', path: () => '/tenants', arrive: (page) => page.getByRole('table').waitFor() },
  { name: 'tenants-none', path: () => '/tenants?search=zzz', arrive: heading('No tenant matches') },
  { name: 'tenants-bulk', path: () => '/tenants', arrive: openBulk },
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
  { name: 'tenant-boost', path: ({ demo }) => `/tenants/${demo.tenant}/exceptions`, arrive: openBoost },
  { name: 'tenant-keys', path: ({ demo }) => `/tenants/${demo.tenant}/keys`, arrive: heading('API keys') },
  { name: 'tenant-people', path: ({ demo }) => `/tenants/${demo.tenant}/people`, arrive: heading('Members') },
  {
    name: 'tenant-alerts',
    path: ({ demo }) => `/tenants/${demo.tenant}/alerts`,
    arrive: heading('Thresholds reached'),
  },
  {
    name: 'tenant-activity',
    path: ({ demo }) => `/tenants/${demo.tenant}/activity`,
    arrive: heading('Activity'),
  },
  { name: 'why', path: () => '/why', arrive: heading('Why was it refused') },
  { name: 'why-tenant', path: ({ demo }) => `/why?q=${demo.tenant}`, arrive: heading('Last refusals') },
];

async function openBulk(page: Page): Promise<void> {
  await page.getByLabel('Select Acme').check();
  await page.getByRole('button', { name: 'Change them' }).click();
  await page.getByRole('dialog').getByLabel('Reason').waitFor();
}

async function openLadder(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^How .* came about/ })
    .first()
    .click();
  await page.getByText('in force').first().waitFor();
}

async function openBoost(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Boost' }).click();
  await page.getByRole('dialog').getByText('What it makes').waitFor();
}
