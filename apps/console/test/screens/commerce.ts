import type { Page } from 'playwright-core';
import type { Screen } from './screen.ts';

const table = (page: Page) => page.getByRole('table').first().waitFor();

const nothing = (page: Page) => page.getByRole('heading', { name: 'No matching purchases' }).waitFor();

export const COMMERCE_SCREENS: readonly Screen[] = [
  { name: 'offers', path: () => '/offers', arrive: table },
  { name: 'offer-new', path: () => '/offers/new', arrive: (page) => page.getByLabel('Price').waitFor() },
  { name: 'offer', path: () => '/offers/link-pack', arrive: (page) => page.getByLabel('Price').waitFor() },
  { name: 'purchases', path: () => '/purchases', arrive: table },
  { name: 'invoices', path: () => '/purchases?show=invoices', arrive: table },
  { name: 'purchase', path: () => '/purchases', arrive: openFirstUpgrade },
  { name: 'purchases-none', path: () => '/purchases?status=DISPUTED', arrive: nothing },
  {
    name: 'quota-requests',
    path: () => '/quota-requests?status=all',
    arrive: (page) => page.getByRole('button', { name: 'Approve' }).first().waitFor(),
  },
];

async function openFirstUpgrade(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Twice the links' }).first().click();
  await page.getByRole('heading', { name: 'Status' }).waitFor();
}
